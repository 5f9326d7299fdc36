import { readFileSync } from 'node:fs';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

interface Dockerfile {
  readonly text: string;
  /** ARG name=default before the first stage. */
  readonly defaults: ReadonlyMap<string, string>;
  readonly stages: readonly Stage[];
}

export function readDockerfile(url: URL): Dockerfile {
  const text = readFileSync(url, 'utf8');
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const defaults = new Map<string, string>();
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const line of joined.split('\n').filter((part) => part.trim() !== '')) {
    const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line)!;
    if (name === 'FROM') {
      const [, from, stage] = /^(\S+) AS (\S+)$/.exec(rest)!;
      stages.push({ name: stage, from, instructions: [] });
    } else if (stages.length === 0) {
      const [, argument, value] = /^(\w+)=(.*)$/.exec(rest)!;
      defaults.set(argument, value);
    } else stages.at(-1)!.instructions.push({ name, text: rest });
  }
  return { text, defaults, stages };
}

/** What a stage consists of, its parents' instructions first, with arguments at their defaults. */
export function flatten({ stages, defaults }: Dockerfile, name: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  if (!stage) return [];
  const parent = stage.from.replace(/\$\{(\w+)\}/g, (_, argument: string) => defaults.get(argument) ?? '');
  return [...flatten({ stages, defaults, text: '' }, parent), ...stage.instructions];
}
