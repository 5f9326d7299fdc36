/** What the import of a backup would do to the classes and groups that are there, and what of it does not fit. */
import { didYouMean } from '../../core/similar-names.js';
import { checkAttributes } from '../classes/attribute-vector.js';
import type { Classes, KnownClass, NewExample, RegistryChange } from '../classes/contract.js';
import { namesOf } from '../classes/no-such-class.js';
import { etagOf, groupEtagOf } from '../classes/store/content.js';
import type { ClassBackup } from '../contract/class-schemas.js';
import type { ServedModel } from '../model/contract.js';

interface Misfit {
  readonly name: string;
  readonly pointer: string;
  readonly detail: string;
}

interface ImportRules {
  /** Classes and groups that exist with other content are replaced. */
  readonly replace: boolean;
  /** What belongs to classes that are not here is left out, and so are the attributes of classes that the model has itself. */
  readonly leaveOut: boolean;
  readonly outOfRange: 'warn' | 'refuse';
}

export interface ImportPlan {
  readonly created: string[];
  readonly replaced: string[];
  readonly unchanged: string[];
  /** How many are new, and how many another network made. */
  examples: number;
  unusableExamples: number;
  readonly problems: Misfit[];
  /** Would be problems without `leaveOut`. */
  readonly leftOut: Misfit[];
  readonly warnings: string[];
  readonly groups: Record<'created' | 'replaced' | 'unchanged', string[]>;
  readonly changes: RegistryChange[];
}

/** An answer that lists more would be larger than the backup. */
const maxSuggestions = 10;
const maxProblems = 1000;

export function planImport(
  { classes: given, groups = [] }: ClassBackup,
  { classes, manifest }: Pick<ServedModel, 'classes' | 'manifest'>,
  options: ImportRules,
): ImportPlan {
  const { replace, leaveOut, outOfRange } = options;
  const plan: ImportPlan = {
    created: [],
    replaced: [],
    unchanged: [],
    examples: 0,
    unusableExamples: 0,
    problems: [],
    leftOut: [],
    warnings: [],
    groups: { created: [], replaced: [], unchanged: [] },
    changes: [],
  };
  const names = new Set<string>();
  const brought = new Set<string>();
  given.forEach(({ name, attributes: values, own = false, examples: stored = [] }, index) => {
    const complain = (pointer: string, detail: string): void => {
      note(plan.problems, { name, pointer: `/classes/${index}${pointer}`, detail });
    };
    if (names.has(name)) complain('/name', 'this name is given twice');
    names.add(name);
    const known = classes.get(name);
    if (own && known?.runtime !== false) {
      const detail = 'the model has no class of this name itself';
      if (leaveOut) note(plan.leftOut, { name, pointer: `/classes/${index}/name`, detail });
      else complain('/name', `${detail}; leaveOut=true leaves its examples out`);
      return;
    }
    brought.add(name);
    const read = readExamples(stored, classes.exampleBackbone, manifest.featureMap.width);
    for (const { pointer, detail } of read.problems) complain(pointer, detail);
    const there = new Set(classes.examplesOf(known?.name ?? name).map(({ id }) => id));
    const examples = read.usable.filter(({ id }) => !there.has(id));
    plan.examples += examples.length;
    plan.unusableExamples += read.foreign;
    if (read.foreign > 0) plan.warnings.push(`${name}: ${foreignWarning(read.foreign)}`);
    if (own) {
      plan.unchanged.push(name);
      if (examples.length > 0) plan.changes.push({ kind: 'add-examples', name, examples });
      return;
    }
    if (leaveOut && known && isKeptByModel(known, name, values)) {
      note(plan.leftOut, { name, pointer: `/classes/${index}/attributes`, detail: keptByModel });
      plan.unchanged.push(known.name);
      if (examples.length > 0) plan.changes.push({ kind: 'add-examples', name: known.name, examples });
      return;
    }
    const path = ['classes', index, 'attributes'];
    const { attributes, problems, warnings } = checkAttributes(values, manifest, outOfRange, path);
    for (const { pointer, detail } of problems) complain(pointer.slice(`/classes/${index}`.length), detail);
    plan.warnings.push(...warnings.map((warning) => `${name}: ${warning}`));
    const content = { name, attributes };
    const outcome = outcomeOf(content, classes, replace);
    if (typeof outcome === 'object') complain('/name', outcome.problem);
    else plan[outcome].push(name);
    if (Object.keys(attributes).length + read.usable.length + there.size === 0)
      complain(
        '/attributes',
        'nothing is known of it: it needs an attribute, or an example that can be used',
      );
    if (outcome === 'created') plan.changes.push({ kind: 'create', content, examples });
    else if (examples.length > 0) plan.changes.push({ kind: 'add-examples', name, examples });
    if (outcome === 'replaced') plan.changes.push({ kind: 'put', content, ifMatch: '*' });
  });
  planGroups(groups, brought, classes, options, plan);
  return plan;
}

/** After the classes, which they may name. */
function planGroups(
  groups: NonNullable<ClassBackup['groups']>,
  brought: ReadonlySet<string>,
  classes: Classes,
  { replace, leaveOut }: ImportRules,
  plan: ImportPlan,
): void {
  const names = new Set<string>();
  groups.forEach((given, index) => {
    const { name } = given;
    const complain = (pointer: string, detail: string): void => {
      note(plan.problems, { name, pointer: `/groups/${index}${pointer}`, detail });
    };
    if (names.has(name)) complain('/name', 'this name is given twice');
    names.add(name);
    const known = classes.group(name);
    const contentWith = (members: readonly string[]) => ({
      ...{ name, family: given.family },
      classes: members.map((member) => classes.get(member)?.name ?? member),
    });
    if (known?.etag === groupEtagOf(contentWith(given.classes))) {
      plan.groups.unchanged.push(name); // also where the model lacks classes of it
      return;
    }
    const isThere = (member: string): boolean => brought.has(member) || classes.get(member) !== undefined;
    given.classes.forEach((member, i) => {
      if (isThere(member)) return;
      const pointer = `/classes/${i}`;
      const detail = `there is no class "${member}"`;
      if (leaveOut) {
        note(plan.leftOut, { name, pointer: `/groups/${index}${pointer}`, detail });
        return;
      }
      const isFew = plan.problems.length < maxSuggestions; // each looks through all names
      const meant = isFew ? didYouMean(member, [...brought, ...namesOf(classes)]) : '';
      complain(pointer, `${detail}.${meant} leaveOut=true leaves it out.`);
    });
    const content = contentWith(leaveOut ? given.classes.filter(isThere) : given.classes);
    const isSame = known?.etag === groupEtagOf(content);
    if (known && !isSame && !replace)
      complain('/name', 'a group of this name exists with other classes; replace=true replaces it');
    plan.groups[isSame ? 'unchanged' : known ? 'replaced' : 'created'].push(name);
    if (!isSame) plan.changes.push({ kind: 'put-group', content, ifMatch: known ? '*' : undefined });
  });
}

function note(list: Misfit[], misfit: Misfit): void {
  if (list.length < maxProblems) list.push(misfit);
}

/** Those of the network that serves; how many are of another one; and what is wrong with them. */
function readExamples(
  stored: NonNullable<ClassBackup['classes'][number]['examples']>,
  backbone: string,
  width: number,
) {
  const problems: { readonly pointer: string; readonly detail: string }[] = [];
  const usable: NewExample[] = [];
  stored.forEach(({ id, backbone: made, features: text, createdAt, by }, index) => {
    if (made !== backbone) return;
    const bytes = Buffer.from(text, 'base64');
    const features = Uint16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readUInt16LE(2 * i));
    const pointer = `/examples/${index}/features`;
    if (bytes.length !== 2 * width)
      problems.push({
        pointer,
        detail: `${width} half-precision numbers are expected, ${bytes.length} bytes were given`,
      });
    else if (features.some(isNotFinite)) problems.push({ pointer, detail: 'not all of them are finite' });
    else usable.push({ id, backbone, features, createdAt: Date.parse(createdAt), createdBy: by });
  });
  return { usable, problems, foreign: stored.filter((one) => one.backbone !== backbone).length };
}

/** Of the exponent all bits are set. */
function isNotFinite(half: number): boolean {
  return (half & 0x7c00) === 0x7c00;
}

function foreignWarning(count: number): string {
  return `${count} example pictures are left out, because another network made their features: add the pictures again`;
}

const keptByModel = 'the model has a class of this name itself, and keeps its own attributes';

/** A class that was added to a model without it, and that the model of this server was trained with. */
function isKeptByModel(
  known: KnownClass,
  name: string,
  attributes: Readonly<Record<string, number>>,
): boolean {
  return !known.runtime && known.etag !== etagOf({ name, attributes });
}

function outcomeOf(
  content: { readonly name: string; readonly attributes: Readonly<Record<string, number>> },
  classes: Classes,
  replace: boolean,
): 'created' | 'replaced' | 'unchanged' | { readonly problem: string } {
  const known = classes.get(content.name);
  if (!known) return 'created';
  if (known.etag === etagOf(content)) return 'unchanged';
  if (!known.runtime)
    return {
      problem:
        'the model has a class of this name itself, with other attributes; leaveOut=true keeps that class, and adds the pictures of this one to it',
    };
  if (known.name !== content.name)
    return {
      problem: `it exists as "${known.name}", whose letters are written in another way; write it like that in the backup, or remove that class first`,
    };
  return replace ? 'replaced' : { problem: 'it exists with other attributes; replace=true replaces it' };
}
