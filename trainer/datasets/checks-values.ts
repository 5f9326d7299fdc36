import { constantAttributes } from '../../core/head/attribute-encoder.js';
import { rowOf, type RowSource } from '../../core/matrix.js';
import type { Dataset } from './dataset.js';
import { notKnownMarks } from './checks-marks.js';
import { errorFinding, someOf, warningFinding, type Finding } from './findings.js';

/** NaN and infinities are errors; zero rows, negative features, constant and identical attributes are warnings. */
export function checkValues(dataset: Dataset): Finding[] {
  return [
    ...notFinite(dataset.features, (row, column) => `the features of row ${row + 1}, value ${column + 1},`),
    ...notFinite(
      dataset.attributes,
      (row, column) =>
        `the attribute "${dataset.attributeNames[column] ?? column + 1}" of class "${dataset.classNames[row] ?? row + 1}"`,
    ),
    ...oddFeatures(dataset.features),
    ...oddAttributes(dataset),
    ...notKnownMarks(dataset),
  ];
}

function notFinite(source: RowSource, where: (row: number, column: number) => string): Finding[] {
  let first = '';
  let count = 0;
  for (let row = 0; row < source.rows; row++) {
    const values = rowOf(source, row);
    for (let column = 0; column < values.length; column++) {
      // x - x is 0 for a finite x and NaN for any other: one test for all three kinds.
      if (values[column] - values[column] === 0) continue;
      if (count === 0) first = `${where(row, column)} is ${values[column]}`;
      count += 1;
    }
  }
  if (count === 0) return [];
  return [errorFinding('not-finite', count > 1 ? `${first}, and ${count - 1} more` : first)];
}

function oddFeatures(features: RowSource): Finding[] {
  const zeroRows: number[] = [];
  let negative = 0;
  for (let row = 0; row < features.rows; row++) {
    let isZero = true;
    for (const value of rowOf(features, row)) {
      if (value !== 0) isZero = false;
      if (value < 0) negative += 1;
    }
    if (isZero) zeroRows.push(row + 1);
  }
  const findings: Finding[] = [];
  if (zeroRows.length > 0)
    findings.push(warningFinding('zero-features', `rows whose features are all zero: ${someOf(zeroRows)}`));
  if (negative > 0) {
    const percent = ((100 * negative) / (features.rows * features.columns)).toFixed(1);
    findings.push(
      warningFinding(
        'negative-features',
        `${percent} % of the feature values are negative; features that end in a ReLU have none, so check which layer they come from`,
      ),
    );
  }
  return findings;
}

function oddAttributes({ attributes, attributeNames, classNames, seen }: Dataset): Finding[] {
  const known = seen.filter((label) => label < attributes.rows); // a table that is too short is an error of its own
  const constant = known.length > 1 ? constantAttributes(attributes, known) : [];
  const firstWith = new Map<string, number>();
  const twins: string[] = [];
  for (let row = 0; row < attributes.rows; row++) {
    const key = rowOf(attributes, row).join();
    const other = firstWith.get(key);
    if (other === undefined) firstWith.set(key, row);
    else twins.push(`"${classNames[other]}" and "${classNames[row]}"`);
  }
  const findings: Finding[] = [];
  if (twins.length > 0)
    findings.push(
      warningFinding(
        'identical-attributes',
        `classes with the same attributes, which no model can tell apart without pictures of them: ${someOf(twins)}`,
      ),
    );
  if (constant.length > 0)
    findings.push(
      warningFinding(
        'constant-attribute',
        `attributes with the same value for every seen class, from which nothing can be learnt: ${someOf(constant.map((i) => attributeNames[i]))}`,
      ),
    );
  return findings;
}
