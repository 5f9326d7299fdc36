/** TypeScript of the documentation, checked and run as a program of a reader who has installed the client. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../core/project-folder.js';
import { finishedOf, type Finished } from '../command-line.js';

/** A folder of a reader's own, with the package `unseen` installed. */
export function installClient(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(projectFolder(), join(folder, 'node_modules/unseen'));
  const nodeTypes = join(projectFolder(), 'node_modules/@types/node');
  symlinkSync(nodeTypes, join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

/** Strictly. The compiler is a process of its own: here it would keep a server in this process from answering. */
export function compile(folder: string, name: string, source: string): Promise<Finished> {
  const file = `${name}.ts`;
  writeFileSync(join(folder, file), source);
  const compiler = join(projectFolder(), 'node_modules/typescript/bin/tsc');
  const options = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  return runNode(folder, [compiler, ...options, file]);
}

/** With the key in the environment, as readers are told to have it. */
export function runProgram(folder: string, name: string, key: string): Promise<Finished> {
  return runNode(folder, [`${name}.js`], { UNSEEN_KEY: key });
}

function runNode(folder: string, words: readonly string[], variables: object = {}): Promise<Finished> {
  const env = { ...process.env, ...variables };
  return finishedOf(spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}
