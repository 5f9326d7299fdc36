/**
 * What attributes are, for people: a description, a unit and a family of each, in a table of its own beside the values. Training does not use it; it
 * travels with the dataset and the bundle, and is shown wherever an attribute is.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AttributeNote } from '../../core/bundle/manifest.js';
import { didYouMean } from '../../core/similar-names.js';
import { readTable } from '../extraction/read-table.js';
import type { Dataset } from './dataset.js';
import { datasetInvalid } from './problems.js';

/** In a dataset of either form; it need not be there. */
export const attributeNotesFile = 'attribute-notes.csv';

const columns = ['description', 'unit', 'family'] as const;

/** `attribute,description,unit,family`, one line for each attribute that has something to say; in the order of `names`. */
export async function readAttributeNotes(
  path: string,
  names: readonly string[],
): Promise<(AttributeNote | null)[]> {
  const { header, lines } = await readTable(path);
  const titles = header.map((title) => title.toLowerCase());
  const problems: string[] = [];
  if (titles[0] !== 'attribute')
    problems.push(`line 1 must be a header line: attribute,${columns.join(',')}`);
  for (const title of titles.slice(1))
    if (!(columns as readonly string[]).includes(title))
      problems.push(
        `line 1: there is no column "${title}"; there are ${columns.join(', ')}.${didYouMean(title, columns)}`,
      );
  const notes = new Map<string, AttributeNote>();
  for (const { number, fields } of lines) {
    const [name] = fields;
    if (fields.slice(header.length).some((field) => field !== ''))
      problems.push(
        `line ${number} has ${fields.length} cells for ${header.length} columns. Put a text with commas between double quotes.`,
      );
    if (!names.includes(name))
      problems.push(`line ${number}: there is no attribute "${name}".${didYouMean(name, names)}`);
    if (notes.has(name)) problems.push(`line ${number}: the attribute "${name}" has a line already`);
    const given = columns.map((column) => [column, fields[titles.indexOf(column)] ?? ''] as const);
    notes.set(name, Object.fromEntries(given.filter(([, text]) => text !== '')));
  }
  if (problems.length > 0) throw datasetInvalid(path, problems);
  return names.map((name) => notes.get(name) ?? null);
}

/** With the notes in its folder, where there are any. */
export async function withNotesOf<D extends Dataset>(dataset: D, directory: string): Promise<D> {
  const path = join(directory, attributeNotesFile);
  if (!existsSync(path)) return dataset;
  return { ...dataset, attributeNotes: await readAttributeNotes(path, dataset.attributeNames) };
}

/** The table again; null where there is nothing to say. */
export function noteLines({ attributeNames, attributeNotes }: Dataset): string[][] | null {
  const lines = attributeNames.flatMap((name, k) => {
    const note = attributeNotes?.[k];
    return note ? [[name, ...columns.map((column) => note[column] ?? '')]] : [];
  });
  return lines.length === 0 ? null : [['attribute', ...columns], ...lines];
}
