import { countRows } from './class-sets.js';
import type { Dataset } from './dataset.js';
import { classesWithFewRows, fewShotRows, usualFewRows } from './few-shot.js';
import { errorFinding, someOf, warningFinding, type Finding } from './findings.js';

export function checkSplits(dataset: Dataset): Finding[] {
  return [...checkRows(dataset), ...checkClassesOfSplits(dataset)];
}

/** Locations within the rows, labels within the classes, and no row used twice. */
function checkRows({ splits, labels, classNames, features }: Dataset): Finding[] {
  const findings: Finding[] = [];
  // A row outside every split may go without a class (-1), but not with an impossible one.
  const wrongLabel = labels.findIndex((label) => label < -1 || label >= classNames.length);
  if (wrongLabel >= 0)
    findings.push(
      errorFinding(
        'label-out-of-range',
        `row ${wrongLabel + 1} has class ${labels[wrongLabel] + 1} of only ${classNames.length} classes`,
      ),
    );
  const usedBy = new Map<number, string>();
  for (const [name, rows] of splitEntries(splits)) {
    const outside = rows.filter((row) => row < 0 || row >= features.rows);
    const unlabelled = rows.filter((row) => labels[row] === -1);
    if (outside.length > 0)
      findings.push(
        errorFinding(
          'location-out-of-range',
          `${name} names row ${outside[0] + 1} of only ${features.rows} rows`,
        ),
      );
    if (unlabelled.length > 0)
      findings.push(
        errorFinding('label-out-of-range', `row ${unlabelled[0] + 1} is in ${name} and has no class`),
      );
    if (rows.length === 0) {
      const finding = name === 'train' ? errorFinding : warningFinding;
      findings.push(finding('empty-split', `the ${name} split has no rows`));
    }
    const overlaps = new Map<string, number[]>();
    for (const row of rows) {
      const other = usedBy.get(row);
      if (other === undefined) usedBy.set(row, name);
      else overlaps.set(other, [...(overlaps.get(other) ?? []), row + 1]);
    }
    for (const [other, shared] of overlaps)
      findings.push(
        errorFinding(
          'splits-overlap',
          other === name
            ? `${name} names rows twice: ${someOf(shared)}`
            : `rows are in both ${other} and ${name}: ${someOf(shared)}`,
        ),
      );
  }
  return findings;
}

function checkClassesOfSplits(dataset: Dataset): Finding[] {
  const { splits, labels, classNames, seen, validationClasses } = dataset;
  const findings: Finding[] = [];
  const isSeen = new Set(seen);
  const namesOf = (rows: Int32Array, keep: (label: number) => boolean): string[] =>
    [
      ...new Set(
        Array.from(rows, (row) => labels[row]).filter((label) => label in classNames && keep(label)),
      ),
    ].map((label) => classNames[label]);

  const trained = namesOf(splits.testUnseen, (label) => isSeen.has(label));
  if (trained.length > 0)
    findings.push(
      errorFinding(
        'unseen-in-training',
        `classes of test-unseen rows have training rows: ${someOf(trained)}`,
      ),
    );
  const untrained = namesOf(splits.testSeen, (label) => !isSeen.has(label));
  if (untrained.length > 0)
    findings.push(
      errorFinding(
        'test-seen-without-training',
        `classes of test-seen rows have no training rows: ${someOf(untrained)}`,
      ),
    );
  const notSeen = Array.from(validationClasses ?? []).filter((label) => !isSeen.has(label));
  if (notSeen.length > 0)
    findings.push(
      errorFinding(
        'validation-classes',
        `validation classes have no training rows: ${someOf(notSeen.map((i) => classNames[i]))}`,
      ),
    );
  if (validationClasses && validationClasses.length >= seen.length)
    findings.push(
      errorFinding(
        'validation-classes',
        'all seen classes are validation classes: nothing is left to learn from',
      ),
    );

  return [...findings, ...checkFewRows(dataset)];
}

/** The mean of a few rows says little of where a class lies. */
function checkFewRows(dataset: Dataset): Finding[] {
  const { labels, splits, classNames } = dataset;
  const rowsOf = [...countRows(labels, splits.train)];
  const few = rowsOf.flatMap(([label, count]) => (count <= usualFewRows ? [label] : []));
  if (few.length === 0) return [];
  const becomesFewShot = classesWithFewRows(dataset, usualFewRows).length > 0;
  const names = someOf(few.sort((a, b) => a - b).map((label) => classNames[label]));
  const taken = becomesFewShot ? `, which training takes as few-shot classes (fewShot.maxRows)` : '';
  return [
    warningFinding(
      'few-training-rows',
      `classes with at most ${usualFewRows} training rows${taken}: ${names}`,
    ),
  ];
}

function splitEntries(splits: Dataset['splits']): [string, Int32Array][] {
  return [
    ['train', splits.train],
    ['test-seen', splits.testSeen],
    ['test-unseen', splits.testUnseen],
    ...(splits.fewShot ? [['few-shot', fewShotRows({ splits })] as [string, Int32Array]] : []),
  ];
}
