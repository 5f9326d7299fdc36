import type { Markdown } from './markdown.js';
import { shellCommands } from './shell-commands.js';

/** Everything that is wrong with a document, each as FILE:LINE: what. */
export type Check = (document: Markdown) => string[];

export const at = ({ path }: Markdown, line: number, complaint: string): string =>
  `${path}:${line}: ${complaint}`;

/** Blocks in no language are shell; what is printed or drawn says `text`. */
export const shellBlocks = ({ blocks }: Markdown): Markdown['blocks'] =>
  blocks.filter(({ language }) => ['', 'sh', 'bash', 'shell'].includes(language));

export function shellIn(document: Markdown): { line: number; words: readonly string[] }[] {
  return shellBlocks(document).flatMap(({ line, text }) =>
    shellCommands(text).map((command) => ({ line: line + command.line, words: command.words })),
  );
}

/** The words after `unseen`, or null when it is another command. */
export function unseenWords(words: readonly string[]): string[] | null {
  const [first, ...others] = words[0] === 'npx' ? words.slice(1) : words;
  return first === 'unseen' ? others : null;
}
