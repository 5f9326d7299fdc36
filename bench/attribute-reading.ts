/**
 * How well the attributes of classes that training has not seen are read from pictures of them:
 *   npm run bench -- attribute-reading DATA --bundle BUNDLE
 * Squared error as a share of the variance of each attribute over the bundle's classes, mean over attributes and unseen classes, with the first n test rows of each class.
 */
import { parseArgs } from 'node:util';
import { readBundle } from '../core/bundle/read.js';
import { BoundTensor, Session } from '../core/compute/session.js';
import { decodeAttributes } from '../core/head/attribute-encoder.js';
import { AttributeReader } from '../core/head/attribute-reading.js';
import { ClassStatistics } from '../core/head/class-statistics.js';
import { FeatureMapper } from '../core/head/feature-map.js';
import { rowOf, takeRows, type Matrix } from '../core/matrix.js';
import { mean } from '../core/mean.js';
import { loadDataset } from '../trainer/datasets/load.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { bundle: { type: 'string' } },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined || values.bundle === undefined) {
  console.error('Usage: npm run bench -- attribute-reading DATA --bundle BUNDLE');
  process.exit(2);
}
const bundle = await readBundle(values.bundle);
const { manifest } = bundle;
const dataset = await loadDataset(data);
const { labels, splits } = dataset;
const mapper = await FeatureMapper.open(bundle.featureMap, manifest.featureMap.mappedWidth);
const predictor = await Session.open(bundle.predictor);
const reader = new AttributeReader(bundle);
const statistics = new ClassStatistics(manifest.classes.map(({ attributes }) => attributes));
const width = manifest.attributes.length;
const unknown = Array<number>(width).fill(NaN);
const typicalLength = mean(manifest.classes.map(({ attributes }) => Math.hypot(...attributes)));

console.log('pictures of a class   explaining network   as read here   as it says of itself');
for (const count of [1, 2, 5, 10]) {
  const [explained, read, stated]: [number[], number[], number[]] = [[], [], []];
  for (const label of dataset.unseen) {
    const rows = splits.testUnseen.filter((row) => labels[row] === label).subarray(0, count);
    const mapped = await mapper.map(dataset.features, rows);
    const truth = rowOf(dataset.attributes, label);
    const { values: found, errors } = reader.estimate(
      unknown,
      takeRows(mapped, [...Array(mapped.rows).keys()]),
    );
    explained.push(errorOf(await explain(mapped), truth));
    read.push(errorOf(found, truth));
    stated.push(mean(errors));
  }
  const cells = [explained, read, stated].map((list) => mean(list).toFixed(2).padStart(18));
  console.log(`${String(count).padEnd(20)}${cells.join('')}`);
}

/** The mean of what the predictor reads from each. */
async function explain(mapped: Matrix): Promise<number[]> {
  const { attributes } = await predictor.run({
    features: BoundTensor.floats([mapped.rows, mapped.columns], mapped.data),
  });
  const all = attributes.data as Float32Array;
  const encoded = Float32Array.from({ length: width }, (_, k) =>
    mean(Array.from({ length: mapped.rows }, (__, i) => all[i * width + k])),
  );
  return [...decodeAttributes(manifest.attributeEncoding, encoded, typicalLength)];
}

/** Over attributes that differ between classes. */
function errorOf(found: readonly number[], truth: ArrayLike<number>): number {
  return mean(
    found.map((value, k) => (statistics.standardised(k, value) - statistics.standardised(k, truth[k])) ** 2),
  );
}
