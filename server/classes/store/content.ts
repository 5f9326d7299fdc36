/** How a class is written down: the same content gives the same bytes, whatever the order of its attributes. */
import { bytesOf, sha256Of } from '../../../core/hash.js';
import { Failure } from '../../../core/failures.js';
import type { Change, ClassContent } from './contract.js';

export function canonicalAttributes(attributes: ClassContent['attributes']): string {
  const names = Object.keys(attributes).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(attributes[name])}`).join(',')}}`;
}

/** A strong validator for HTTP: changes when, and only when, the content does. */
export function etagOf({ name, attributes }: ClassContent): string {
  return sha256Of(JSON.stringify(name), canonicalAttributes(attributes)).slice(0, 32);
}

/** Little-endian, as every machine is that Node runs on; a copy, because a thread would be sent the whole pool behind it. */
export function weightsToBytes(weights: Float32Array): Uint8Array {
  return bytesOf(weights).slice();
}

/** A copy as well: bytes from a socket need not start at a multiple of four. */
export function weightsFromBytes(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** What one of the two databases would refuse or alter is refused for both. Callers have checked; this is the net. */
export function checkChange({ upserts = [], removals = [], rows, remember }: Change): void {
  const names = [...upserts.map(({ name }) => name), ...removals];
  checkDistinct(names, 'is changed twice in one commit');
  for (const all of [rows?.rows ?? [], rows?.base ?? []])
    checkDistinct(
      all.map(({ name }) => name),
      'has two rows in one commit',
    );
  for (const text of [...names, ...(rows ? [rows.bundle] : []), ...(remember ? [remember.key] : [])])
    checkText(text);
  for (const { name, attributes } of upserts)
    for (const [attribute, value] of Object.entries(attributes))
      if (!Number.isFinite(value)) throw misuse(`${attribute} of class "${name}" must be a finite number`);
  for (const { name, weights, bias } of [...(rows?.rows ?? []), ...(rows?.base ?? [])])
    if (!Number.isFinite(bias) || !areFinite(weights))
      throw misuse(`the row of class "${name}" must be finite`);
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
    if (seen.has(name)) throw misuse(`class "${name}" ${complaint}`);
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
