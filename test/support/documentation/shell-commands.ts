/** The simple commands of a piece of shell, as words: enough of the shell's grammar for what documentation shows. */
interface ShellCommand {
  readonly line: number; // within the text, from 0
  readonly words: readonly string[];
}

const ends = new Set(['|', '||', '&', '&&', ';', '\n']);

export function shellCommands(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let start = 0;
  let skipped = false; // the word after > or < is a file
  for (const { line, word, isOperator } of tokens(text)) {
    if (isOperator && ends.has(word)) {
      if (words.length > 0) commands.push({ line: start, words });
      words = [];
    } else if (isOperator) skipped = true;
    else if (skipped) skipped = false;
    else if (words.length > 0 || !/^[A-Z_]+=/.test(word)) {
      if (words.length === 0) start = line;
      words.push(word);
    }
  }
  if (words.length > 0) commands.push({ line: start, words });
  return commands;
}

/** What a shell runs as one unit: simple commands joined by pipes, as they are written. */
interface Pipeline {
  readonly line: number; // within the text, from 0
  readonly text: string;
}

const sequels = new Set(['||', '&', '&&', ';', '\n']);

export function pipelines(text: string): Pipeline[] {
  const found: Pipeline[] = [];
  let first: Token | null = null;
  let end = 0;
  for (const token of tokens(text)) {
    if (!token.isOperator || !sequels.has(token.word)) {
      first ??= token;
      end = token.end;
    } else if (first) {
      found.push({ line: first.line, text: text.slice(first.start, end) });
      first = null;
    }
  }
  return found;
}

interface Token {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly isOperator: boolean;
}

const patterns = {
  blank: /(?:[ \t]|\\\n)+/y,
  comment: /#[^\n]*/y,
  operator: /\|\||&&|[|&;<>\n]/y,
  word: /(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^\n]|[^\s|&;<>'"\\])+/y,
};

function* tokens(text: string): Generator<Token> {
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found?.[0] ?? null;
  };
  while (at < text.length) {
    const line = text.slice(0, at).split('\n').length - 1;
    const start = at;
    if (match(patterns.blank) !== null || match(patterns.comment) !== null) continue;
    const operator = match(patterns.operator);
    const word = operator ?? match(patterns.word);
    if (word === null) throw new Error(`line ${line + 1} is not shell: is a quote unterminated?`);
    yield { line, start, end: at, word: operator ?? unquoted(word), isOperator: operator !== null };
  }
  yield { line: 0, start: at, end: at, word: '\n', isOperator: true };
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
  );
}
