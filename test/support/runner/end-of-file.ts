const endings: (() => unknown)[] = [];

/** Ends with the test file what one of its tests may have begun: Vitest never calls an `afterAll` that stands within a test. */
export function atEndOfFile(end: () => unknown): void {
  endings.push(end);
}

/** What began last ends first. */
export async function endFile(): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) await end();
}
