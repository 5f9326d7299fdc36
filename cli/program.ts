import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../core/project-folder.js';
import type { CommandContext } from './context.js';
import { exitCodeHelp } from './exit-codes.js';

/** Runs a command's action inside a context; given by main.ts, or by a test that captures what is printed. */
export type Runner = (json: boolean, action: (context: CommandContext) => Promise<void>) => Promise<void>;

/** One file per command under commands/, each adding itself to the program. */
export type AddCommand = (program: Command, run: Runner) => void;

const description = `Recognise image classes you have no pictures of.

Train a model from class attributes and CNN features, evaluate it, and serve it.`;

export function createProgram(commands: readonly AddCommand[], run: Runner): Command {
  const program = new Command('unseen')
    .description(description)
    .version(packageVersion())
    .showHelpAfterError('(run unseen --help or unseen COMMAND --help for the options)')
    .addHelpText('after', exitCodeHelp);
  for (const add of commands) add(program, run);
  return program;
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
