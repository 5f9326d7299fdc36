/** Every command that a document shows, in blocks and in sentences, in its order. */
import { hasArguments, refusalOf } from './commands.js';
import { shellBlocks, unseenWords } from './check.js';
import type { Markdown } from './markdown.js';
import { pipelines, shellCommands } from './shell-commands.js';

export interface Shown {
  /** FILE:LINE */
  readonly place: string;
  readonly text: string;
}

export function shownIn(document: Markdown): Shown[] {
  const inBlocks = shellBlocks(document).flatMap(({ line, text }) =>
    pipelines(text).map((one) => ({ line: line + one.line, text: one.text })),
  );
  const inSentences = document.spans.flatMap(({ line, text }) =>
    isCommand(text) ? alternatives(text).map((one) => ({ line, text: one })) : [],
  );
  return [...inBlocks, ...inSentences]
    .sort((a, b) => a.line - b.line)
    .map(({ line, text }) => ({ place: `${document.path}:${line}`, text }));
}

const programs = /^(?:[A-Z_]+=\S* )*(?:npx unseen|npm|node|curl|docker|kubectl|scripts\/\S+) \S/;

/** `unseen train` only names a command, and so does all that is not complete; what has … in it is cut short. */
function isCommand(text: string): boolean {
  if (text.includes('…')) return false;
  if (programs.test(text)) return true;
  if (!text.startsWith('unseen ')) return false;
  return alternatives(text).every((one) => {
    const given = unseenWords(shellCommands(one)[0].words)!;
    return hasArguments(given) && refusalOf(given) === null;
  });
}

/** `--to open|xlsa17` is two commands. */
function alternatives(text: string): string[] {
  const choice = /[a-z0-9]+(?:\|[a-z0-9]+)+/.exec(text)?.[0];
  return choice === undefined ? [text] : choice.split('|').map((one) => text.replace(choice, one));
}
