import { fork, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
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
    const port = 'port' in settings ? settings.port : await freePort();
    const started = performance.now();
    const flags = Object.entries({ port, 'log-level': 'info', ...settings }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    const child = fork(new URL(program, import.meta.url), ['serve', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { UNSEEN_ADMIN_KEYS: serverKey, ...process.env, UNSEEN_REGISTRY: 'sqlite::memory:' },
    });
    endWithUs(child);
    child.stdout!.resume(); // the log is read, so that it never fills the pipe
    const url = `http://127.0.0.1:${port}`;
    // Not by its log, whose lines may wait for others to be written with.
    while (!(await isReady(url))) {
      if (hasEnded(child))
        throw new Error(`the server ended with code ${String(child.exitCode)} before it was ready`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
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
    return !hasEnded(this.child);
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

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** False, too, while it does not listen yet. */
async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
