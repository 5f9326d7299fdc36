import { styleText } from 'node:util';
import { Command, type Option } from 'commander';
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
  everyCommand(program, (command) => {
    nameUnknownFirst(command);
    // Commander leaves colours out where NO_COLOR is set, or where the output is no terminal.
    command.configureHelp({ styleTitle: (title) => styleText('bold', title) });
  });
  return program;
}

/** The command, its commands, and theirs. */
export function everyCommand(command: Command, work: (command: Command) => void): void {
  work(command);
  for (const one of command.commands) everyCommand(one, work);
}

/** A mistyped option is most likely the one that is missing: it is named, instead of what it was meant to be. */
function nameUnknownFirst(command: Command): void {
  const strict = command as Command & {
    missingMandatoryOptionValue(option: Option): never;
    unknownOption(flag: string): never;
  };
  const missing = strict.missingMandatoryOptionValue.bind(command);
  strict.missingMandatoryOptionValue = (option) => {
    const unknown = command.args.find((word) => /^--?[a-z]/i.test(word));
    if (unknown !== undefined) strict.unknownOption(unknown);
    return missing(option);
  };
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
