/**
 * The contract's examples in the words of the model that is served. They are written with made-up animals (`exampleWords`), and put into
 * the classes and attributes of a model here, so that what a reader copies works on this server.
 */
import type { OpenApiDocument } from './openapi-types.js';

/** What the examples of the contract are written with. */
export const exampleWords = {
  seen: 'horse',
  unseen: 'zebra',
  added: 'okapi',
  attributes: ['stripes', 'hooves', 'flippers'],
  model: { version: '5f6c0e7a9b1d…', name: 'animals' },
} as const;

export interface ModelWords {
  readonly seen: string;
  readonly unseen: string;
  /** No class has it. */
  readonly added: string;
  readonly model: { readonly version: string; readonly name: string };
  readonly attributes: readonly {
    readonly name: string;
    readonly minimum: number;
    readonly maximum: number;
  }[];
  /** Values that some class of the model has. */
  readonly values: Readonly<Record<string, number>>;
}

const shownAttributes = exampleWords.attributes.length;

export function withExamplesOf(document: OpenApiDocument, words: ModelWords): OpenApiDocument {
  const names = new Map<string, string>(
    (['seen', 'unseen', 'added'] as const).map((kind) => [exampleWords[kind], words[kind]]),
  );
  const translated = (value: unknown): unknown => {
    if (typeof value === 'string') return translatedName(value, names);
    if (Array.isArray(value)) return value.map(translated);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        key === 'attributes'
          ? translatedAttributes(part, words)
          : key === 'certainty'
            ? renamedAttributes(part as Readonly<Record<string, number>>, words)
            : key === 'model'
              ? words.model
              : translated(part),
      ]),
    );
  };
  /** Outside of examples nothing is touched: a schema may have the same words. */
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        key === 'example' || key === 'examples' ? translated(part) : visit(part),
      ]),
    );
  };
  return { ...document, paths: visit(document.paths) as OpenApiDocument['paths'] };
}

/** Also as the name of a file. */
function translatedName(text: string, names: ReadonlyMap<string, string>): string {
  const name = text.replace(/\.jpg$/, '');
  const meant = names.get(name);
  return meant === undefined ? text : meant + text.slice(name.length);
}

/** What is said of attributes beside their values keeps its numbers. */
function renamedAttributes(
  part: Readonly<Record<string, number>>,
  { attributes }: ModelWords,
): Record<string, number> {
  const few = attributes.slice(0, Object.keys(part).length);
  return Object.fromEntries(few.map(({ name }, i) => [name, Object.values(part)[i]]));
}

/** By name, as a vector, or described. */
function translatedAttributes(part: unknown, { attributes, values }: ModelWords): unknown {
  const few = attributes.slice(0, shownAttributes);
  const valueOf = ({ name, minimum }: ModelWords['attributes'][number]): number =>
    Number((Object.hasOwn(values, name) ? values[name] : minimum).toPrecision(3));
  if (Array.isArray(part)) return typeof part[0] === 'number' ? attributes.map(valueOf) : few;
  if (typeof part !== 'object' || part === null) return part;
  const count = Object.keys(part).length;
  return Object.fromEntries(few.slice(0, count).map((one) => [one.name, valueOf(one)]));
}
