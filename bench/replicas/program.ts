/** A system program (Debian's nginx or Prometheus) that runs beside the benchmark and ends with it. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export function requireProgram(name: string, debianPackage: string, versionFlag: string): void {
  if (spawnSync(name, [versionFlag]).error === undefined) return;
  console.error(`This needs ${name}: apt-get install ${debianPackage} (and no service of it running).`);
  process.exit(2);
}

export class Program {
  private output = '';

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    const keep = (chunk: Buffer): void => {
      this.output = `${this.output}${chunk.toString()}`.slice(-4000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  /** Resolves when the address responds with any status. */
  static async start(name: string, flags: readonly string[], address: string): Promise<Program> {
    // In a process group of its own: Ctrl-C reaches the benchmark alone, which ends the others in order.
    const child = spawn(name, flags, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const program = new Program(name, child);
    for (let attempt = 0; attempt < 300; attempt++) {
      if (child.exitCode !== null) break;
      if (
        await fetch(address).then(
          () => true,
          () => false,
        )
      )
        return program;
      await sleep(100);
    }
    await program.stop();
    throw new Error(`${name} does not answer at ${address}: ${program.output}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }

  toString(): string {
    return this.name;
  }
}
