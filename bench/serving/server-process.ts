import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { serverKey } from '../../fixtures/server-key.js';

/** A server in a process of its own, as it is deployed. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** From the start of the process until /readyz answered 200. */
    readonly readySeconds: number,
  ) {}

  /** `program` is dist/cli/main.js unless a benchmark needs to reach into the server. */
  static async start(settings: Readonly<Record<string, string | number>>, program = '../../cli/main.js') {
    const started = performance.now();
    const flags = Object.entries({ port: 0, 'log-level': 'info', ...settings }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    const child = fork(new URL(program, import.meta.url), ['serve', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { UNSEEN_ADMIN_KEYS: serverKey, ...process.env, UNSEEN_REGISTRY: 'sqlite::memory:' },
    });
    endWithUs(child);
    const url = await listeningUrl(child);
    while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 10));
    return new ServerProcess(child, url, (performance.now() - started) / 1000);
  }

  /** Value of a sample on the metrics page; its name has its labels, if any, as they are written there. */
  async metric(name: string): Promise<number> {
    const page = await (await fetch(`${this.url}/metrics`)).text();
    const line = page.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  tell(message: string): void {
    this.child.send(message);
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** SIGKILL, as in a power failure: nothing is finished or closed. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }

  /** SIGTERM, as orchestrators send it, includes the grace time; SIGINT does not. */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<number | null> {
    if (!this.running) return this.child.exitCode;
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    return ended;
  }
}

const running = new Set<ChildProcess>();

/** An interrupted benchmark leaves nothing running. */
function endWithUs(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', endRunning);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endRunning);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1));
}

function endRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const { msg, url: found } = JSON.parse(line) as { msg?: string; url?: string };
      if (msg === 'listening' && found !== undefined) resolve(found);
    });
    child.once('exit', (code) => {
      reject(new Error(`the server ended with code ${String(code)} before it listened`));
    });
  });
  lines.removeAllListeners('line'); // the log is still read, so that it never fills the pipe
  lines.on('line', () => undefined);
  return url;
}
