/** An attribute vector as a client gives it, checked against what the model takes. Everything that is wrong is named. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { isIgnored } from '../../core/head/attribute-encoder.js';
import { shortestSingle } from '../../core/shortest-single.js';
import { noteInWords } from '../../core/head/attribute-words.js';
import { didYouMean } from '../../core/similar-names.js';
import type { FieldProblem } from '../../core/failures.js';
import { pointerOf } from '../http/validate.js';

interface CheckedAttributes {
  readonly attributes: Readonly<Record<string, number>>;
  readonly problems: readonly FieldProblem[];
  readonly warnings: readonly string[];
}

/** Null, like what is left out: not known. */
type Given = readonly (number | null)[] | Readonly<Record<string, number | null>>;

/** At most so many unknown names are listed: a vector for another model would list hundreds. */
const maxListed = 20;

/** Further out no model says anything; most likely the value is in another unit. */
const maxRangesAway = 10;

function scaleOf(minimum: number, maximum: number): number {
  return Math.max(maximum - minimum, Math.abs(minimum), Math.abs(maximum), 1);
}

function largestScale(described: Manifest['attributes']): number {
  return described.reduce((largest, { minimum, maximum }) => Math.max(largest, scaleOf(minimum, maximum)), 0);
}

function ignoredBecause(value: number): string {
  return `the classes of training all have ${shortestSingle(value)}, so the model ignores it`;
}

/**
 * Whether a body could describe classes at all, by counting: checking millions of values one by one would hold up everybody
 * else. Returns where it is too much.
 */
export function tooMany(value: unknown, attributes: number): FieldProblem | null {
  const max = 4 * attributes + 64;
  const sizeOf = (part: unknown): number =>
    Array.isArray(part)
      ? part.length
      : typeof part === 'object' && part !== null
        ? Object.keys(part).length
        : 0;
  const problem = (pointer: string): FieldProblem => ({ pointer, detail: `more than ${max} values` });
  const oversized = (content: unknown, pointer: string): FieldProblem | null => {
    if (sizeOf(content) > max) return problem(pointer);
    const given = (content as { attributes?: unknown } | null | undefined)?.attributes;
    return sizeOf(given) > max ? problem(`${pointer}/attributes`) : null;
  };
  const { classes } = Object(value) as { classes?: unknown };
  if (!Array.isArray(classes)) return oversized(value, '');
  for (const [index, content] of classes.entries()) {
    const found = oversized(content, `/classes/${index}`);
    if (found) return found;
  }
  return null;
}

export function checkAttributes(
  given: Given,
  { attributes: described, attributeEncoding }: Pick<Manifest, 'attributes' | 'attributeEncoding'>,
  outOfRange: 'warn' | 'refuse',
  path: readonly PropertyKey[],
  /** Where what is left out is taken from. */
  like: Readonly<Record<string, number>> = {},
): CheckedAttributes {
  const at = (key: PropertyKey): string => pointerOf([...path, key]);
  const byPosition = isList(given);
  const problems = byPosition ? lengthProblems(given, described, path) : nameProblems(given, described, path);
  const attributes: Record<string, number> = {};
  const warnings: string[] = [];
  described.forEach(({ name, minimum, maximum, ...note }, index) => {
    const stated = byPosition ? given[index] : own(given, name);
    const value = stated === undefined ? own(like, name) : stated;
    if (value === undefined || value === null) return;
    attributes[name] = value;
    if (stated === undefined) return; // as the other class has it, whatever its range
    const rounded = Math.fround(value); // as training has its attributes, and their ends
    if (rounded >= Math.fround(minimum) && rounded <= Math.fround(maximum)) return;
    const range = `${shortestSingle(minimum)} to ${shortestSingle(maximum)}`;
    const detail = `${value} lies outside the range that training saw, ${range}`;
    const ignored = isIgnored(attributeEncoding, index);
    const scale = ignored ? largestScale(described) : scaleOf(minimum, maximum); // a constant has no scale of its own
    const isAbsurd = !(Math.max(minimum - value, value - maximum) <= maxRangesAway * scale);
    if (outOfRange === 'refuse' || isAbsurd)
      problems.push({ pointer: at(byPosition ? index : name), detail });
    else warnings.push(`${noted(name, note)}: ${ignored ? ignoredBecause(minimum) : detail}`);
  });
  return { attributes, problems: problems.slice(0, 2 * maxListed), warnings };
}

function lengthProblems(
  given: readonly unknown[],
  described: Manifest['attributes'],
  path: readonly PropertyKey[],
): FieldProblem[] {
  if (given.length === described.length) return [];
  const detail = `${described.length} numbers are expected, in the order of GET /attributes; ${given.length} were given`;
  return [{ pointer: pointerOf(path), detail }];
}

function nameProblems(
  given: Readonly<Record<string, unknown>>,
  described: Manifest['attributes'],
  path: readonly PropertyKey[],
): FieldProblem[] {
  const names = new Set(described.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  return unknown.slice(0, maxListed).map((name) => {
    const detail = `no attribute has this name; GET /attributes lists them.${didYouMean(name, names)}`;
    return { pointer: pointerOf([...path, name]), detail: detail.replace(/\.$/, '') };
  });
}

/** Not what an object inherits: "constructor" may be the name of an attribute, or of none. */
function own<Value>(given: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function isList(given: Given): given is readonly (number | null)[] {
  return Array.isArray(given);
}

/** "bill (its length, in cm)" */
function noted(name: string, note: Parameters<typeof noteInWords>[0]): string {
  const words = noteInWords(note);
  return words === '' ? name : `${name} (${words})`;
}
