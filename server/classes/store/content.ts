/** How a class is written down: the same content gives the same bytes, whatever the order of its attributes. */
import type { ClassGroup } from '../../../core/head/class-group.js';
import { bytesOf, sha256Of } from '../../../core/hash.js';
import { Failure } from '../../../core/failures.js';
import { fromHalf } from '../../../core/half.js';
import type { RegistryCommit, ClassContent } from './contract.js';

export function canonicalAttributes(attributes: ClassContent['attributes']): string {
  const names = Object.keys(attributes).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(attributes[name])}`).join(',')}}`;
}

/** A strong validator for HTTP: changes when, and only when, the content does. */
export function etagOf({ name, attributes, own }: ClassContent): string {
  const content = own ? 'own' : canonicalAttributes(attributes);
  return sha256Of(JSON.stringify(name), content).slice(0, 32);
}

/** A group is a set: the order in which its classes are named says nothing. */
export function canonicalClasses(classes: readonly string[]): string {
  return JSON.stringify([...new Set(classes)].sort());
}

export function groupEtagOf({ name, family, classes }: ClassGroup): string {
  return sha256Of('group', JSON.stringify([name, family]), canonicalClasses(classes)).slice(0, 32);
}

/** Little-endian, as every machine is that Node runs on; a copy, because a thread would be sent the whole pool behind it. */
export function weightsToBytes(weights: Float32Array): Uint8Array {
  return bytesOf(weights).slice();
}

/** A copy as well: bytes from a socket need not start at a multiple of four. */
export function weightsFromBytes(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** For the same reasons. */
export function halvesToBytes(halves: Uint16Array): Uint8Array {
  return bytesOf(halves).slice();
}

export function halvesFromBytes(bytes: ArrayBuffer | Uint8Array): Uint16Array {
  return new Uint16Array(new Uint8Array(bytes).buffer);
}

/** What one of the two databases would refuse or alter is refused for both. Callers have checked; this is the net. */
export function checkChange(change: RegistryCommit): void {
  const { upserts = [], removals = [], rows, examples, groups, adaptation, remember } = change;
  const names = [...upserts.map(({ name }) => name), ...removals];
  checkDistinct(names, 'is changed twice in one commit');
  const groupNames = [...(groups?.upserts.map(({ name }) => name) ?? []), ...(groups?.removals ?? [])];
  checkDistinct(groupNames, 'is a group that is changed twice in one commit');
  const adapted = adaptation?.kind === 'adapt' ? adaptation.rows : [];
  for (const all of [rows?.rows ?? [], rows?.base ?? [], adapted])
    checkDistinct(
      all.map(({ name }) => name),
      'has two rows in one commit',
    );
  for (const text of [
    ...names,
    ...groupNames,
    ...(rows ? [rows.bundle] : []),
    ...(remember ? [remember.key] : []),
  ])
    checkText(text);
  const upserted = new Set(upserts.map(({ name }) => name));
  for (const { name, id } of [...(examples?.added ?? []), ...(examples?.removed ?? [])]) {
    checkText(id);
    if (!upserted.has(name)) throw misuse(`the examples of class "${name}" change, and the class does not`);
  }
  checkDistinct(
    (examples?.added ?? []).map(({ id }) => id),
    'is an example that is added twice in one commit',
  );
  for (const { name, attributes } of upserts)
    for (const [attribute, value] of Object.entries(attributes))
      if (!Number.isFinite(value)) throw misuse(`${attribute} of class "${name}" must be a finite number`);
  for (const { name, weights, bias } of [...(rows?.rows ?? []), ...(rows?.base ?? []), ...adapted])
    if (!Number.isFinite(bias) || !areFinite(weights))
      throw misuse(`the row of class "${name}" must be finite`);
  for (const { name, features } of examples?.added ?? [])
    if (!areFinite(fromHalf(features))) throw misuse(`an example of class "${name}" must be finite`);
}

// Times zero is zero for every finite value. A test per value would hold up the event loop in a commit of many rows.
function areFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * 0;
  return sum === 0;
}

function checkDistinct(names: readonly string[], complaint: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw misuse(`"${name}" ${complaint}`);
    seen.add(name);
  }
}

// PostgreSQL's text takes no NUL, and neither database keeps half a surrogate pair as it was.
function checkText(text: string): void {
  if (text === '' || text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw misuse(`${JSON.stringify(text)} must be non-empty text without NUL and unpaired surrogates`);
}

function misuse(message: string): Failure {
  return new Failure('usage', `The registry was given a change that it cannot store: ${message}.`);
}
