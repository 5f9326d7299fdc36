/** Commands of the program, shown in blocks or named in sentences. */
import { CommanderError, type Command } from 'commander';
import { loadCommands } from '../../../cli/commands/index.js';
import { createProgram } from '../../../cli/program.js';
import { at, shellIn, unseenWords, type Check } from './check.js';
import { shellCommands } from './shell-commands.js';

const commands = await loadCommands(undefined);
/** The runner does nothing, so no action is ever run. */
const fresh = (): Command => createProgram(commands, () => Promise.resolve());
const whole = fresh();

/** Parsed by the program itself, down to required options and the form of values. */
export const checkCommands: Check = (document) =>
  shellIn(document).flatMap(({ line, words }) => {
    const given = unseenWords(words);
    const complaint = given && refusalOf(given);
    return complaint === null ? [] : [at(document, line, `unseen ${given!.join(' ')}: ${complaint}`)];
  });

/** Why the program would not take these words after its name; null when it would. */
export function refusalOf(words: readonly string[]): string | null {
  try {
    silenced(fresh()).parse(words, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : error.message;
  }
}

function silenced(command: Command): Command {
  const nothing = (): void => undefined;
  command.exitOverride().configureOutput({ writeOut: nothing, writeErr: nothing, outputError: nothing });
  command.commands.forEach(silenced);
  return command;
}

/** A sentence leaves out what is required, so only names are checked. A bare option is one of any command. */
export const checkMentions: Check = (document) =>
  document.spans.flatMap(({ line, text }) => {
    if (!/^(npx )?unseen |^--[a-z]/.test(text)) return [];
    const [{ words }] = shellCommands(text);
    const given = unseenWords(words);
    const unknown = given ? unknownIn(given) : unknownOption(words[0]);
    return unknown === null ? [] : [at(document, line, `${text}: ${unknown} is not known`)];
  });

/** Whether there is more than the names of commands: an argument or an option. */
export function hasArguments(words: readonly string[]): boolean {
  let command: Command | undefined = whole;
  return words.some((word) => (command = command?.commands.find((one) => one.name() === word)) === undefined);
}

function unknownIn(words: readonly string[]): string | null {
  let command = whole;
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    const isOption = word.startsWith('--') && word !== '--help';
    if (child) command = child;
    else if (isOption ? !hasOption(command, word) : command === whole) return word;
  }
  return null;
}

function unknownOption(word: string): string | null {
  const all = whole.commands.flatMap((command) => [command, ...command.commands]);
  return word === '--help' || all.some((command) => hasOption(command, word)) ? null : word;
}

function hasOption(command: Command, word: string): boolean {
  return command.options.some(({ long }) => long === word.split('=')[0]);
}
