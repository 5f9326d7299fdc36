import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A Python process that answers one line of JSON for each line it is given. */
export class Peer {
  private readonly answers: AsyncIterator<string>;
  private readonly child;

  constructor(script: string, args: readonly (string | number)[]) {
    const path = new URL(`../../bench/peers/${script}`, import.meta.url).pathname;
    this.child = spawn(process.env.PYTHON ?? '/usr/bin/python3', [path, ...args.map(String)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async ask<T>(line: string | number): Promise<T> {
    this.child.stdin.write(`${line}\n`);
    const answer = await this.answers.next();
    if (answer.done) throw new Error("The peer ended. It needs Debian's python3-torch and python3-numpy.");
    return JSON.parse(answer.value) as T;
  }

  close(): void {
    this.child.stdin.end();
  }
}
