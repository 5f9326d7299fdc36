import { describe, expect, test } from 'vitest';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { matrix } from '../../../core/matrix.js';
import { notKnownMarks } from '../../../trainer/datasets/checks-marks.js';

const sound = syntheticDataset();
const { rows, columns } = sound.attributes;
/** Amounts from 0 up, some of them replaced. */
const withValues = (valueAt: (row: number, column: number) => number | undefined) => ({
  ...sound,
  attributes: matrix(
    rows,
    columns,
    Float32Array.from({ length: rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return valueAt(row, column) ?? ((7 * row + 3 * column) % 11) / 10;
    }),
  ),
});
const isMarked = (row: number, column: number): boolean => row < 4 && (column === 1 || column === 5);

describe('a number that seems to stand for "not known"', () => {
  test('is named where a table of amounts has it again and again', () => {
    const [finding, ...others] = notKnownMarks(
      withValues((row, column) => (isMarked(row, column) ? -1 : undefined)),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'warning', code: 'not-known-mark' });
    expect(finding.message).toMatch(/^8 attribute values are the number -1.*attribute-2, attribute-6/);
  });

  test('is found when each class was brought to unit length afterwards', () => {
    const [finding] = notKnownMarks(
      withValues((row, column) => (isMarked(row, column) ? -1 / (row + 2) : undefined)),
    );
    expect(finding.message).toMatch(/one and the same negative number in each class/);
  });

  test.each<[string, Parameters<typeof withValues>[0]]>([
    ['without negative values', () => undefined],
    ['with many different ones', (row, column) => (column === 1 ? -row : undefined)],
    ['with two in one class', (row, column) => (row === 3 && column < 2 ? -1 - column : undefined)],
    ['with one column that may be negative', (row, column) => (column === 2 && row < 3 ? -1 : undefined)],
    ['of -1, 0 and 1', (row, column) => ((row + column) % 6 === 0 ? -1 : (row + column) % 2)],
    ['of which half are negative', (row, column) => ((row + column) % 2 === 0 ? -1 : undefined)],
  ])('is not seen in a table %s', (_, valueAt) => {
    expect(notKnownMarks(withValues(valueAt))).toEqual([]);
  });
});
