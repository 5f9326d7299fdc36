import type { Markdown } from './markdown.js';
import { shellCommands } from './shell-commands.js';

/** Everything that is wrong with a document, each as FILE:LINE: what. */
export type Check = (document: Markdown) => string[];

export const at = ({ path }: Markdown, line: number, complaint: string): string =>
  `${path}:${line}: ${complaint}`;

/** Blocks in no language are shell, or something printed or drawn, in which no line starts like a command of ours. */
const shellBlock = /^\s*(\w+=\S* )*(npx|npm|unseen|node|curl)\b/m;

export function shellIn(document: Markdown): { line: number; words: readonly string[] }[] {
  return document.blocks
    .filter(({ language, text }) => ['', 'sh', 'bash', 'shell'].includes(language) && shellBlock.test(text))
    .flatMap(({ line, text }) =>
      shellCommands(text).map((command) => ({ line: line + command.line, words: command.words })),
    );
}

/** The words after `unseen`, or null when it is another command. */
export function unseenWords(words: readonly string[]): string[] | null {
  const [first, ...others] = words[0] === 'npx' ? words.slice(1) : words;
  return first === 'unseen' ? others : null;
}
