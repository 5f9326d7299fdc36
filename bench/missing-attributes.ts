/**
 * What to do about attributes of a class that nobody has given, on validation classes alone:
 *   npm run bench -- missing-attributes DATA [--folds 3]
 * In each fold a fifth of the seen classes plays unseen, with a half or a quarter of its attributes, drawn at random for each class. The closed form is fitted on the other
 * classes, and pictures of the held-out ones are read by the class that lies nearest among these (top-1, in %). Test rows have no part in it.
 */
import { parseArgs } from 'node:util';
import { classMean } from '../core/accuracy.js';
import { completeAttributes, estimateAttributes } from '../core/head/attribute-completion.js';
import { encodeAttributes } from '../core/head/attribute-encoder.js';
import { directRows } from '../core/head/feature-map.js';
import { matrix, rowOf, type Matrix } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { mean } from '../core/mean.js';
import { fitClosedForm, predictClasses, type ClosedForm } from '../trainer/closed-form/kernel-ridge.js';
import { configurationSchema } from '../trainer/configuration.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { validationSplit } from '../trainer/datasets/validation-split.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { prepareTrainingData, type TrainingData } from '../trainer/preparation/training-data.js';
import { cosinesTo, stackClasses } from '../trainer/selection/picture-balance.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folds: { type: 'string', default: '3' } },
});
const [path] = positionals as (string | undefined)[];
if (path === undefined) {
  console.error('Usage: npm run bench -- missing-attributes DATA [--folds 3]');
  process.exit(2);
}
const dataset = await loadDataset(path);
const engine = new OnnxEngine({});
const configuration = configurationSchema.parse({});
const folds = Number(values.folds);
const results = new Map<string, number[]>();

interface Class {
  readonly label: number;
  readonly given: readonly number[]; // NaN where it is not
}

for (let fold = 0; fold < folds; fold++) {
  const small = validationSplit(dataset, { seed: 0, fold, classes: 0.2, ownFirst: false });
  const data = await prepareTrainingData(engine, small, configuration);
  const closedForm = data.closedForm!;
  const heldOut = Array.from(small.unseen);
  const manifest = {
    attributes: small.attributeNames.map((name) => ({ name, minimum: 0, maximum: 1 })),
    classes: Array.from(small.seen, (label) => ({
      name: small.classNames[label],
      seen: true,
      attributes: Array.from(rowOf(small.attributes, label)),
    })),
  };
  const rows = directRows(await data.mapper.map(small.features, small.splits.testUnseen), 1);
  const labels = Array.from(small.splits.testUnseen, (row) => heldOut.indexOf(small.labels[row]));
  const judge = (name: string, places: readonly Float32Array[]): void => {
    const scores = cosinesTo(rows, stackClasses(places));
    const isRight = (i: number): boolean => {
      const own = rowOf(scores, i);
      return own.indexOf(own.reduce((most, value) => Math.max(most, value), -Infinity)) === labels[i];
    };
    results.set(name, [...(results.get(name) ?? []), 100 * classMean(labels, isRight)!]);
  };
  const encode = (attributes: readonly number[]): Float32Array =>
    encodeAttributes(data.attributeEncoding, matrix(1, attributes.length, Float32Array.from(attributes)))
      .data;
  const place = (form: Pick<ClosedForm, 'scale' | 'anchors' | 'coefficients'>, encoded: Float32Array) =>
    rowOf(predictClasses(form, matrix(1, encoded.length, encoded)), 0);

  judge(
    'all attributes',
    heldOut.map((label) => place(closedForm, encode(Array.from(rowOf(small.attributes, label))))),
  );
  for (const share of [0.5, 0.25]) {
    const random = Random.stream(fold, `attributes ${share}`);
    const classes = heldOut.map((label): Class => ({
      label,
      given: Array.from(rowOf(small.attributes, label), (value) => (random.uniform() < share ? value : NaN)),
    }));
    const mean = (k: number): number => data.attributeEncoding.mean[k];
    judge(
      `${share}: the mean of all classes`,
      classes.map(({ given }) =>
        place(closedForm, encode(given.map((value, k) => (Number.isNaN(value) ? mean(k) : value)))),
      ),
    );
    const filled = classes.map(({ given }) =>
      place(closedForm, encode(completeAttributes(manifest, given).values)),
    );
    judge(`${share}: filled in from the others (as it is)`, filled);
    judge(
      `${share}: filled in, the kernel's mean over what they may be`,
      classes.map(({ given }) => {
        const { values: all, errors } = estimateAttributes(manifest, given);
        return place(expectedKernel(closedForm, errors), encode(all));
      }),
    );
    const alone = classes.map(({ given }) => aloneOf(data, given, encode));
    judge(`${share}: a fit for each class on the known ones alone`, alone);
    judge(
      `${share}: the mean of the second and the last`,
      filled.map((one, c) => one.map((value, k) => value + alone[c][k])),
    );
  }
  await data.release();
}
for (const [name, found] of results) {
  console.log(
    `  ${name.padEnd(60)} ${mean(found).toFixed(1)}   (${found.map((value) => value.toFixed(1)).join(', ')})`,
  );
}

/** exp(-|s (z - a)|²) averaged over z_k with variance v_k: s_k² becomes s_k² / (1 + 2 s_k² v_k), but for a factor that all classes share. */
function expectedKernel(
  { scale, anchors, coefficients }: ClosedForm,
  variances: readonly number[], // of standardised attributes
): Pick<ClosedForm, 'scale' | 'anchors' | 'coefficients'> {
  const factors = variances.map((variance, k) => 1 / Math.sqrt(1 + 2 * scale.data[k] ** 2 * variance));
  const shrunk = ({ rows, columns, data }: Matrix): Matrix =>
    matrix(
      rows,
      columns,
      data.map((value, i) => value * factors[i % columns]),
    );
  return { scale: shrunk(scale), anchors: shrunk(anchors), coefficients };
}

/** Kernel, ridge and reliabilities chosen anew with the known attributes and no other. */
function aloneOf(
  { features, labels, seen, attributes, attributeEncoding }: TrainingData,
  given: readonly number[],
  encode: (attributes: readonly number[]) => Float32Array,
): Float32Array {
  const known = Array.from(given.keys()).filter((k) => !Number.isNaN(given[k]));
  const encoded = encode(given.map((value) => (Number.isNaN(value) ? 0 : value)));
  const columns = matrix(attributes.rows, known.length);
  for (let c = 0; c < attributes.rows; c++)
    known.forEach(
      (k, i) => (columns.data[c * known.length + i] = attributes.data[c * attributes.columns + k]),
    );
  const deviations = known.map((k) => attributeEncoding.deviation[k]);
  const form = fitClosedForm(features, labels, seen, columns, { deviations });
  return rowOf(
    predictClasses(
      form,
      matrix(
        1,
        known.length,
        Float32Array.from(known, (k) => encoded[k]),
      ),
    ),
    0,
  );
}
