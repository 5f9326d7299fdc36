/** Resolves with the signal that asks a server to end. A second one is handled by main.ts, which exits at once. */
export function untilAskedToStop(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        resolve(signal);
      });
  });
}
