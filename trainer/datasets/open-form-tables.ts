import { normalisedName } from '../../core/class-name.js';
import { matrix } from '../../core/matrix.js';
import type { Dataset } from './dataset.js';
import { someOf } from './findings.js';
import { splitNames } from './open-form-schema.js';

type AttributeTable = Pick<Dataset, 'classNames' | 'attributeNames' | 'attributes'>;

export function attributeTable([header = [], ...lines]: string[][], problems: string[]): AttributeTable {
  if (header[0] !== 'class')
    problems.push('the attributes must begin with a header line: class,<attribute names>');
  const attributes = matrix(lines.length, Math.max(0, header.length - 1));
  const bad: string[] = [];
  lines.forEach((line, row) => {
    for (let column = 1; column < line.length; column++) {
      const value = line[column] === '' ? NaN : Number(line[column]);
      if (Number.isNaN(value)) bad.push(`"${line[column]}" for ${header[column]} of ${line[0]}`);
      attributes.data[row * attributes.columns + column - 1] = value;
    }
  });
  if (bad.length > 0) problems.push(`the attributes hold what is not a number: ${someOf(bad)}`);
  return { classNames: lines.map((line) => line[0]), attributeNames: header.slice(1), attributes };
}

type RowTable = Pick<Dataset, 'labels' | 'imageFiles' | 'splits'>;

export function rowTable(
  [header = [], ...lines]: string[][],
  classIndex: Map<string, number>,
  problems: string[],
): RowTable {
  const [image, label, split] = ['image', 'class', 'split'].map((name) => header.indexOf(name));
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
