/**
 * Refuses by counting what no request needs: to parse a million lists within lists, to check a million values by a schema, or to look
 * up a million names would hold up everybody else for seconds.
 */
import { Failure } from '../../core/failures.js';

/** Names of classes are the most that a request has, beside the data of its tensor. */
const maxValues = 50_000;
const maxNames = 1_000;
const maxDepth = 16;
/** A row of features may be a list of its own. */
const maxLists = 5_000;
/** Shorter ones are parsed before they would be counted. */
const shortBytes = 64 * 1024;

const [quote, backslash, colon] = Buffer.from('"\\:');
const [openList, closeList, openObject, closeObject] = Buffer.from('[]{}');

/** Of JSON that is not parsed yet: how deep it is, how many lists and objects, texts and named values it has. */
export function refuseDeep(json: Uint8Array): void {
  if (json.length <= shortBytes) return;
  let depth = 0;
  let lists = 0;
  let names = 0;
  let texts = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === quote) {
      at = endOfText(json, at);
      texts += 1;
    } else if (sign === openList || sign === openObject) {
      depth += 1;
      lists += 1;
    } else if (sign === closeList || sign === closeObject) depth -= 1;
    else if (sign === colon) names += 1;
    if (depth > maxDepth) throw tooMuch(`is more than ${maxDepth} lists and objects deep`);
    if (lists > maxLists) throw tooMuch(`has more than ${maxLists} lists and objects`);
    if (texts > maxValues) throw tooMuch(`has more than ${maxValues} texts`);
    if (names > maxNames) throw tooMuch(`has more than ${maxNames} named values`);
  }
}

/** Where the text that begins there has its last quote. */
function endOfText(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

/** The data of tensors is not counted: it is read without a schema. */
export function refuseLongLists(request: unknown): void {
  const left: unknown[] = [request];
  let counted = 0;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const parts = Array.isArray(value) ? (value as unknown[]) : partsOf(value);
    counted += parts.length;
    if (counted > maxValues) throw tooMuch(`has more than ${maxValues} values beside the data of its input`);
    for (const part of parts) left.push(part);
  }
}

function partsOf(value: object): unknown[] {
  return Object.entries(value).flatMap(([key, part]) => (key === 'data' ? [] : [part as unknown]));
}

function tooMuch(what: string): Failure {
  return new Failure('request-invalid', `The inference request ${what}.`);
}
