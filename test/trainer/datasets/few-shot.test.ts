/** Classes with attributes and a few labelled rows, from files to splits. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { checkDataset } from '../../../trainer/datasets/checks.js';
import { assembleDataset, countRows } from '../../../trainer/datasets/class-sets.js';
import {
  classesWithFewRows,
  fewShotClasses,
  fewShotInWords,
  fewShotRows,
  withFewShot,
} from '../../../trainer/datasets/few-shot.js';
import { fingerprint } from '../../../trainer/datasets/fingerprint.js';
import { loadDataset } from '../../../trainer/datasets/load.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { writeXlsa17 } from '../../../trainer/datasets/write-xlsa17.js';
import { makeSplits } from '../../../trainer/extraction/make-splits.js';
import { asTrained, takeFewShot } from '../../../trainer/preparation/take-few-shot.js';
import { configurationSchema } from '../../../trainer/configuration.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
const whole = syntheticDataset({ seen: 14, unseen: 4, rowsPerClass: 10 });
/** Three seen classes, of which the first has a single training row left, the next two, the last three. */
const few = whole.seen.slice(2, 5);
const dataset = leave(new Map(Array.from(few, (label, i) => [label, i + 1])));

/** With so many training rows of some classes. */
function leave(counts: ReadonlyMap<number, number>) {
  const kept = new Map<number, number>();
  const train = whole.splits.train.filter((row) => {
    const label = whole.labels[row];
    kept.set(label, (kept.get(label) ?? 0) + 1);
    return kept.get(label)! <= (counts.get(label) ?? Infinity);
  });
  return assembleDataset({ ...whole, splits: { ...whole.splits, train } });
}

describe('classes with few training rows', () => {
  test('are found where enough others are left', () => {
    expect(classesWithFewRows(dataset, 5)).toEqual(few);
    expect(classesWithFewRows(dataset, 2)).toEqual(few.slice(0, 2));
    expect(classesWithFewRows(dataset, 0)).toHaveLength(0);
  });

  test('stay seen where most classes are like them', () => {
    expect(classesWithFewRows(dataset, 8)).toHaveLength(0); // all have eight rows at most
    const seven = leave(new Map(Array.from(whole.seen.slice(0, 7), (label) => [label, 2])));
    expect(classesWithFewRows(seven, 5)).toHaveLength(0); // seven are left, and eight needed
  });

  test('are named by the checks, with what becomes of them', () => {
    const [finding] = checkDataset(dataset).filter(({ code }) => code === 'few-training-rows');
    expect(finding.message).toBe(
      `classes with at most 5 training rows, which training takes as few-shot classes (fewShot.maxRows): ${Array.from(few, (label) => dataset.classNames[label]).join(', ')}`,
    );
  });

  test('are left alone in the transductive setting, which refuses those that are said to be few-shot', () => {
    const transductive = configurationSchema.parse({ transductive: { rows: 'test-unseen' } });
    expect(takeFewShot(dataset, transductive)).toBe(dataset);
    expect(() => takeFewShot(withFewShot(dataset, few), transductive)).toThrow('the split "train"');
  });
});

describe('as few-shot classes', () => {
  const taken = takeFewShot(
    { ...dataset, validationClasses: whole.seen.slice(4, 6) },
    configurationSchema.parse({}),
  );

  test('are unseen, with rows that are given and test rows of unseen classes', () => {
    expect(fewShotClasses(taken)).toEqual(few);
    expect(Array.from(taken.unseen)).toEqual([...whole.unseen, ...few].sort((a, b) => a - b));
    expect([...countRows(taken.labels, fewShotRows(taken)).entries()].sort((a, b) => a[1] - b[1])).toEqual(
      Array.from(few, (label, i) => [label, i + 1]),
    );
    expect(fewShotInWords(taken)).toBe('3 few-shot classes with 1 to 3 pictures each');
    for (const rows of [taken.splits.train, taken.splits.testSeen])
      expect(rows.some((row) => few.includes(taken.labels[row]))).toBe(false);
    const tested = countRows(taken.labels, taken.splits.testUnseen);
    for (const label of few) expect(tested.get(label)).toBe(2);
    expect(checkDataset(taken).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('never play unseen in validation', () => {
    expect(taken.validationClasses).toEqual(whole.seen.slice(5, 6));
  });

  test('change the fingerprint, and taking them again changes nothing', () => {
    expect(fingerprint(taken)).not.toBe(fingerprint(dataset));
    expect(fingerprint(withFewShot(taken, few))).toBe(fingerprint(taken));
  });

  test('are found again by the names in a bundle', () => {
    const classes = taken.classNames.map((name, label) => ({
      name,
      seen: taken.seen.includes(label),
      attributes: [],
      ...(few.includes(label) && { fewShot: 1 }),
    }));
    const again = asTrained({ classes }, { ...dataset, validationClasses: whole.seen.slice(4, 6) });
    expect(fingerprint(again)).toBe(fingerprint(taken));
  });

  test('come back from the open form, which says it in both files', async () => {
    const path = join(folder, 'open');
    await writeOpenForm(taken, path);
    expect(fingerprint(await loadDataset(path))).toBe(fingerprint(taken));
    const manifest = JSON.parse(readFileSync(join(path, 'dataset.json'), 'utf8')) as {
      fewShotClasses: string[];
      rows: { sha256?: string };
    };
    expect(manifest.fewShotClasses).toEqual(Array.from(few, (label) => taken.classNames[label]));
    const rows = readFileSync(join(path, 'rows.csv'), 'utf8');
    expect(rows.match(/,few-shot\n/g)).toHaveLength(6);

    // Either of the two is enough: names in dataset.json with rows that are called training rows, or the other way round.
    delete manifest.rows.sha256;
    writeFileSync(join(path, 'rows.csv'), rows.replaceAll(',few-shot\n', ',train\n'));
    writeFileSync(join(path, 'dataset.json'), JSON.stringify(manifest));
    expect(fingerprint(await loadDataset(path))).toBe(fingerprint(taken));
    writeFileSync(join(path, 'rows.csv'), rows);
    writeFileSync(join(path, 'dataset.json'), JSON.stringify({ ...manifest, fewShotClasses: undefined }));
    expect(fingerprint(await loadDataset(path))).toBe(fingerprint(taken));

    const [without] = whole.unseen;
    const wrong = { ...manifest, fewShotClasses: ['nobody', taken.classNames[without]] };
    writeFileSync(join(path, 'dataset.json'), JSON.stringify(wrong));
    const refused = await loadDataset(path).catch((error: unknown) => (error as Error).message);
    expect(refused).toMatch('the few-shot class "nobody" is not in attributes.csv');
    expect(refused).toMatch(`few-shot classes have neither training nor few-shot rows: `);
    expect(refused).toMatch(taken.classNames[without]);
  });

  test('are seen classes again in the form of xlsa17, which cannot say it', async () => {
    const path = join(folder, 'xlsa17');
    await writeXlsa17(taken, path);
    const back = await loadDataset(path);
    expect(back.splits).toEqual(dataset.splits);
    expect(back.seen).toEqual(dataset.seen);
  });
});

test('extraction calls classes with few training pictures few-shot', () => {
  const names = Array.from({ length: 10 }, (_, c) => `class ${c}`);
  const pictures = names.flatMap((name, c) => new Array<string>(c === 0 ? 3 : 20).fill(name));
  const options = { unseenClasses: ['class 9'], unseenFraction: 0, testFraction: 0.2, seed: 1 };
  const splitsOf = (fewShot: number) =>
    makeSplits(pictures, { ...options, fewShot })
      .slice(0, 3)
      .sort();
  expect(splitsOf(5)).toEqual(['few-shot', 'few-shot', 'test-unseen']);
  expect(splitsOf(1)).toEqual(['test-seen', 'train', 'train']);
});
