/** TypeScript of the documentation, checked and run as a program of a reader who has installed the client. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
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

/** What the compiler says against it, strictly; the program lies beside it then. */
export function compile(folder: string, name: string, source: string): string[] {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, source);
  const program = ts.createProgram([file], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    typeRoots: [join(folder, 'node_modules/@types')],
    skipLibCheck: true,
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
}

export function runProgram(folder: string, name: string): Promise<Finished> {
  return finishedOf(
    spawn(process.execPath, [`${name}.js`], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}
