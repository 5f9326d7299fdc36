import type { Dataset } from './dataset.js';
import { classNamesInPaths } from './checks-image-paths.js';
import { checkSplits } from './checks-splits.js';
import { checkValues } from './checks-values.js';
import { errorFinding, someOf, type Finding } from './findings.js';

/** Everything that is wrong or odd in a dataset, in one pass: errors first. An empty list is a sound dataset. */
export function checkDataset(dataset: Dataset): Finding[] {
  const findings = [
    ...checkSizes(dataset),
    ...checkClassNames(dataset),
    ...checkSplits(dataset),
    ...checkValues(dataset),
    ...classNamesInPaths(dataset),
  ];
  const rank = (finding: Finding): number => (finding.severity === 'error' ? 0 : 1);
  return findings.sort((a, b) => rank(a) - rank(b));
}

function checkSizes(dataset: Dataset): Finding[] {
  const { features, labels, attributes, classNames, attributeNames, imageFiles } = dataset;
  const pairs: [what: string, actual: number, expected: number, where: string][] = [
    ['labels', labels.length, features.rows, 'rows of features'],
    ['image files', imageFiles?.length ?? features.rows, features.rows, 'rows of features'],
    ['rows of attributes', attributes.rows, classNames.length, 'class names'],
    ['attribute names', attributeNames.length, attributes.columns, 'attributes per class'],
  ];
  const wrong = pairs
    .filter(([, actual, expected]) => actual !== expected)
    .map(([what, actual, expected, where]) => `${actual} ${what} for ${expected} ${where}`);
  if (features.columns === 0 || features.rows === 0) wrong.push('there are no features');
  if (attributes.columns === 0) wrong.push('there are no attributes');
  return wrong.map((message) => errorFinding('wrong-size', message));
}

function checkClassNames({ classNames }: Dataset): Finding[] {
  const empty = Array.from(classNames.keys()).filter((i) => classNames[i].trim() === '');
  const repeated = new Set(
    classNames.filter((name, i) => name.trim() !== '' && classNames.indexOf(name) !== i),
  );
  const findings: Finding[] = [];
  if (empty.length > 0)
    findings.push(
      errorFinding('class-name', `classes without a name, at positions ${someOf(empty.map((i) => i + 1))}`),
    );
  if (repeated.size > 0)
    findings.push(errorFinding('class-name', `class names that occur twice: ${someOf([...repeated])}`));
  return findings;
}
