import { basename } from 'node:path';
import { normalisedName } from '../../core/class-name.js';
import { matrix } from '../../core/matrix.js';
import { wrongCellCount, type CsvTable, type TableLine } from '../extraction/read-table.js';
import { numberReader } from '../extraction/table-numbers.js';
import type { Dataset } from './dataset.js';
import { someOf } from './findings.js';
import { splitNames } from './open-form-schema.js';

type AttributeTable = Pick<Dataset, 'classNames' | 'attributeNames' | 'attributes'>;

const maxListed = 10;

export function attributeTable(
  { path, header, lines, delimiter }: CsvTable,
  problems: string[],
): AttributeTable {
  if (header.at(0)?.toLowerCase() !== 'class')
    problems.push('the attributes must begin with a header line: class,<attribute names>');
  const attributeNames = header.slice(1);
  const attributes = matrix(lines.length, attributeNames.length);
  const numbers = numberReader(cellsOf(lines));
  const bad: string[] = [];
  lines.forEach((line, row) => {
    const [name, ...cells] = line.fields;
    const refuse = (reason: string): void => {
      bad.push(`${basename(path)}, line ${line.number}: ${reason}`);
    };
    if (cells.length !== attributeNames.length) refuse(wrongCellCount(line, attributeNames, delimiter));
    else
      cells.forEach((cell, k) => {
        const value = numbers.value(cell);
        if (Number.isNaN(value))
          refuse(`"${cell}" for ${attributeNames[k]} of ${name} is not a number. ${numbers.remedy(cell)}`);
        attributes.data[row * attributes.columns + k] = value;
      });
  });
  problems.push(...bad.slice(0, maxListed));
  if (bad.length > maxListed) problems.push(`and ${bad.length - maxListed} more in ${basename(path)}`);
  return { classNames: lines.map(({ fields: [name] }) => name), attributeNames, attributes };
}

function* cellsOf(lines: readonly TableLine[]): Iterable<string> {
  for (const { fields } of lines) yield* fields.slice(1);
}

type RowTable = Pick<Dataset, 'labels' | 'imageFiles' | 'splits'>;

export function rowTable(
  [header = [], ...lines]: string[][],
  classIndex: Map<string, number>,
  problems: string[],
): RowTable {
  const titles = header.map((title) => title.toLowerCase());
  const [image, label, split] = ['image', 'class', 'split'].map((name) => titles.indexOf(name));
  if (label < 0 || split < 0) problems.push('the rows must begin with a header line: image,class,split');
  const splits: Record<string, number[]> = Object.fromEntries(splitNames.map((name) => [name, []]));
  const labels = new Int32Array(lines.length).fill(-1);
  const unknownClasses = new Set<string>();
  const unknownSplits = new Set<string>();
  if (label >= 0 && split >= 0)
    lines.forEach((line, row) => {
      const index = classIndex.get(normalisedName(line[label]));
      // A row outside every split may go without a class.
      if (index !== undefined) labels[row] = index;
      else if (line[label] !== '' || line[split] !== 'none') unknownClasses.add(`"${line[label]}"`);
      if (Object.hasOwn(splits, line[split])) splits[line[split]].push(row);
      else unknownSplits.add(`"${line[split]}"`);
    });
  if (unknownClasses.size > 0)
    problems.push(`rows have classes without attributes: ${someOf([...unknownClasses])}`);
  if (unknownSplits.size > 0)
    problems.push(
      `rows have unknown splits: ${someOf([...unknownSplits])}; it must be one of ${splitNames.join(', ')}`,
    );
  const images = image < 0 ? [] : lines.map((line) => line[image]);
  return {
    labels,
    imageFiles: images.some((file) => file !== '') ? images : null,
    splits: {
      train: Int32Array.from(splits.train),
      testSeen: Int32Array.from(splits['test-seen']),
      testUnseen: Int32Array.from(splits['test-unseen']),
      ...(splits['few-shot'].length > 0 && { fewShot: Int32Array.from(splits['few-shot']) }),
    },
  };
}
