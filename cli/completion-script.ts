/** Completion scripts, from the commands and options that the program has. */
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Words {
  /** The command's own words: '' for the program, 'classes add' for a command of a command. */
  readonly path: string;
  readonly options: readonly { readonly flag: string; readonly description: string }[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

export function completionScript(shell: Shell, program: Command): string {
  const all = wordsOf(program, []);
  if (shell === 'fish') return fishScript(all);
  return shell === 'bash' ? bashScript(all) : zshScript(all);
}

function wordsOf(command: Command, path: readonly string[]): Words[] {
  const shown = command.options.flatMap(({ long, description }) =>
    long ? [{ flag: long, description }] : [],
  );
  const own: Words = {
    path: path.join(' '),
    options: [...shown, { flag: '--help', description: 'list all options' }],
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
  };
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))];
}

/** The words after which nothing else is a command: what has been written so far, without options. */
const caseOf = (all: readonly Words[], line: (words: Words) => string): string =>
  all.map((words) => `    '${words.path}') ${line(words)} ;;`).join('\n');

const listOf = ({ options, commands }: Words): string =>
  [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' ');

function bashScript(all: readonly Words[]): string {
  return `_unseen() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == [a-z]* ]] && case " ${all.map(({ path }) => path.replaceAll(' ', '_')).join(' ')} " in
      *" \${path:+\${path// /_}_}$word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${caseOf(all, (words) => `words='${listOf(words)}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _unseen unseen`;
}

function zshScript(all: readonly Words[]): string {
  return `#compdef unseen
_unseen() {
  local chosen='' word
  local -a known=(${all.map(({ path }) => `'${path}'`).join(' ')}) list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    (( \${known[(Ie)\${chosen:+$chosen }$word]} )) && chosen="\${chosen:+$chosen }$word"
  done
  case "$chosen" in
${caseOf(all, (words) => `list=(${listOf(words)})`)}
  esac
  compadd -- $list
  [[ $PREFIX == -* ]] || _files
}
# From a folder of fpath zsh runs this file as the function itself, at the first Tab; otherwise it was sourced.
if [[ $funcstack[1] == _unseen ]]; then _unseen "$@"; else compdef _unseen unseen; fi`;
}

function fishScript(all: readonly Words[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ path, options, commands }) => {
    const here = `complete -c unseen -n ${quoted(`__unseen_at ${quoted(path)}`)}`;
    return [
      // No file is meant where a command is.
      ...commands.map(({ name, description }) => `${here} -f -a ${name} -d ${quoted(description)}`),
      ...options.map(({ flag, description }) => `${here} -l ${flag.slice(2)} -d ${quoted(description)}`),
    ];
  });
  return `function __unseen_at
  set -l known ${all.map(({ path }) => quoted(path)).join(' ')}
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    contains -- $longer $known; and set path $longer
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}`;
}
