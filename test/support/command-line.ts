import { spawn, type ChildProcess } from 'node:child_process';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built command, as a user's shell would. `npm test` builds it first. */
export function startUnseen(args: readonly string[]): { child: ChildProcess; finished: Promise<Finished> } {
  const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, finished: finishedOf(child) };
}

/** Its output and its exit code. */
export function finishedOf(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

export function unseen(...args: string[]): Promise<Finished> {
  return startUnseen(args).finished;
}
