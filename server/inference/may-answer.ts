/** Which classes may answer a request, as it names them: by their names, or by groups. What is not there is refused. */
import { normalisedName } from '../../core/class-name.js';
import { Failure, type FieldProblem } from '../../core/failures.js';
import type { ClassificationOptions } from '../../core/head/classifier.js';
import type { MayAnswer } from '../../core/head/competition.js';
import { didYouMean } from '../../core/similar-names.js';
import type { Classes } from '../classes/contract.js';

interface Restriction {
  readonly classes?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly scoresOf?: readonly string[] | undefined;
  readonly groupBy?: string | undefined;
  readonly minProbability?: number | undefined;
}

/** How the request calls the fields, in a JSON pointer. */
type FieldNames = Readonly<Record<'classes' | 'groups' | 'scoresOf' | 'groupBy', string>>;

type Options = Pick<ClassificationOptions, 'mayAnswer' | 'scoresOf' | 'groupBy' | 'minProbability'>;

/** A lookup that gives the name under which something is stored. */
type Lookup = (name: string) => string | undefined;

export function restrictionOptions(given: Restriction, classes: Classes, fields: FieldNames): Options {
  const { scoresOf, groupBy, minProbability } = given;
  const named = given.classes && resolve(given.classes, classLookup(classes), 'class', fields.classes);
  const groups = given.groups && resolve(given.groups, groupLookup(classes), 'group', fields.groups);
  const mayAnswer =
    named || groups ? { ...(named && { classes: named }), ...(groups && { groups }) } : undefined;
  const asked = scoresOf && resolve(scoresOf, classLookup(classes), 'class', fields.scoresOf);
  if (mayAnswer) checkSome(mayAnswer, classes, asked ?? [], fields);
  const family = groupBy === undefined ? undefined : familyNamed(groupBy, classes, fields.groupBy);
  return {
    ...(mayAnswer && { mayAnswer }),
    ...(asked && { scoresOf: asked }),
    ...(family !== undefined && { groupBy: family }),
    ...(minProbability !== undefined && { minProbability }),
  };
}

interface Names {
  readonly find: Lookup;
  readonly all: () => readonly string[];
}

function classLookup(classes: Classes): Names {
  return {
    find: (name) => {
      const known = classes.get(name);
      return known?.unusable === undefined ? known?.name : undefined;
    },
    all: () => classes.list().map(({ name }) => name),
  };
}

function groupLookup(classes: Classes): Names {
  return {
    find: (name) => classes.group(name)?.name,
    all: () => classes.groups().map(({ name }) => name),
  };
}

/** Looking for names alike takes a while, with thousands of names to compare. */
const maxSuggestions = 5;
/** Of which a name in a list with commas may consist; one with more commas has a parameter of its own. */
const maxPieces = 10;
/** Of values that are several names with commas between them, all together: each piece is looked up with those after it. */
const maxJoinedPieces = 2_000;
/** Where so many are wrong, the others are not looked up. */
const maxProblems = 100;

/**
 * Each value is a name, or several with commas between them. A name may have commas itself: from the left, the longest piece that
 * is a name counts.
 */
function resolve(values: readonly string[], names: Names, what: 'class' | 'group', field: string): string[] {
  const found = new Set<string>();
  const problems: FieldProblem[] = [];
  let joined = 0;
  for (const value of values) {
    if (problems.length >= maxProblems) break;
    const whole = names.find(value.trim());
    if (whole !== undefined) {
      found.add(whole);
      continue;
    }
    const pieces = value.split(',', maxJoinedPieces + 1);
    joined += pieces.length - 1;
    if (joined >= maxJoinedPieces)
      throw new Failure(
        'class-unknown',
        `${field}: at most ${maxJoinedPieces} names are accepted with commas between them. Give each as a value of its own.`,
        {
          fields: [
            { pointer: `/${field}`, detail: `more than ${maxJoinedPieces} names with commas between them` },
          ],
        },
      );
    for (let start = 0; start < pieces.length && problems.length < maxProblems;) {
      const match = longestName(pieces, start, names.find);
      if (match) found.add(match.name);
      else if (pieces[start].trim() !== '') {
        const piece = pieces[start].trim();
        problems.push({
          pointer: `/${field}`,
          detail: `there is no ${what} "${piece}".${problems.length < maxSuggestions ? didYouMean(piece, names.all()) : ''}`,
        });
      }
      start = match?.end ?? start + 1;
    }
  }
  if (problems.length === 0 && found.size === 0)
    problems.push({ pointer: `/${field}`, detail: `the name of a ${what} is expected, or several` });
  if (problems.length > 0)
    throw new Failure(
      'class-unknown',
      `${field}: ${problems
        .slice(0, maxSuggestions)
        .map(({ detail }) => detail)
        .join(
          ' ',
        )}${problems.length > maxSuggestions ? ` (and ${problems.length >= maxProblems ? 'many' : problems.length - maxSuggestions} more)` : ''}`,
      { fields: problems },
    );
  return [...found];
}

function longestName(pieces: readonly string[], start: number, find: Lookup) {
  for (let end = Math.min(pieces.length, start + maxPieces); end > start; end--) {
    const name = find(pieces.slice(start, end).join(',').trim());
    if (name !== undefined) return { name, end };
  }
  return null;
}

function checkSome(
  { classes: named = [], groups = [] }: MayAnswer,
  classes: Classes,
  asked: readonly string[],
  fields: FieldNames,
): void {
  const members = groups.flatMap((name) => classes.group(name)?.classes ?? []);
  const { find } = classLookup(classes);
  const competing = new Set([...named, ...members].filter((name) => find(name) !== undefined));
  if (competing.size === 0)
    throw new Failure(
      'class-unknown',
      `None of the classes of ${groups.map((name) => `"${name}"`).join(', ')} is here to answer: they were removed, or belong to another model.`,
      { fields: [{ pointer: `/${fields.groups}`, detail: 'no class of it can answer' }] },
    );
  const outside = asked.find((name) => !competing.has(name));
  if (outside !== undefined)
    throw new Failure(
      'class-unknown',
      `"${outside}" is not among the classes that may answer: name it there too, or leave it out of ${fields.scoresOf}.`,
      { fields: [{ pointer: `/${fields.scoresOf}`, detail: `"${outside}" may not answer` }] },
    );
}

/** As it is stored, however its letters are written in the request. */
function familyNamed(given: string, classes: Classes, field: string): string {
  const family = normalisedName(given.trim());
  const families = new Set(classes.groups().flatMap((group) => group.family ?? []));
  if (families.has(family)) return family;
  throw new Failure(
    'class-unknown',
    families.size === 0
      ? `${field}: no group has a family. PUT /groups/NAME with a family makes one.`
      : `${field}: no group is of the family "${family}".${didYouMean(family, families)}`,
    { fields: [{ pointer: `/${field}`, detail: `no group is of the family "${family}"` }] },
  );
}
