/**
 * The head's epoch: one evaluation of its objective and gradient over all rows, against the bare matrix products that
 * it consists of, in the same run:
 *   npm run bench -- head [rows] [width] [classes]
 * By default the size of CUB with 100 synthetic rows for each unseen class.
 */
import { availableParallelism } from 'node:os';
import { directRows, headRows } from '../core/head/feature-map.js';
import { matrix, rowOf } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { configurationSchema } from '../trainer/configuration.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { fitHead } from '../trainer/head/fit.js';
import { median } from './quantiles.js';

const [rows = 12_057, width = 2048, classes = 200] = process.argv.slice(2).map(Number);
const random = new Random(1);
const engine = new OnnxEngine({ threads: availableParallelism() });
const settings = configurationSchema.parse({}).head;

const prototypes = directRows(
  matrix(classes, width, random.fillNormal(new Float32Array(classes * width))),
  1,
);
const labels = Int32Array.from({ length: rows }, () => random.integer(classes));
const features = matrix(rows, width);
for (let i = 0; i < rows; i++) {
  const [row, prototype] = [rowOf(features, i), rowOf(prototypes, labels[i])];
  for (let k = 0; k < width; k++) row[k] = prototype[k] + 0.06 * random.normal();
}
headRows(features, settings.temperature);
const weights = new Float32Array(rows).fill(1 / rows);

const block = 2048;
const products = await engine.evaluator({
  name: 'products',
  inputs: { rows: [block, width], weights: [classes, width], slopes: [block, classes] },
  parameters: {},
  build: (ops, inputs) => ({
    scores: ops.matmul(inputs.rows, inputs.weights, { transposeB: true }),
    gradient: ops.matmul(inputs.slopes, inputs.rows, { transposeA: true }),
  }),
});
const inputs = {
  rows: features.data.slice(0, block * width),
  weights: prototypes.data,
  slopes: random.fillNormal(new Float32Array(block * classes)),
};
const bare: number[] = [];
for (let i = 0; i < 12; i++) {
  const start = performance.now();
  for (let done = 0; done < rows; done += block) await products.run(inputs, {});
  if (i > 1) bare.push(performance.now() - start);
}
await products.release();

const started = performance.now();
const head = await fitHead(engine, { rows: features, labels, weights, prototypes }, settings, silent);
const total = performance.now() - started;
const epoch = total / head.evaluations;
console.log(`Head over ${rows} rows of ${width} features and ${classes} classes`);
console.log(`  epoch          ${epoch.toFixed(0)} ms, mean of ${head.evaluations} (all of the fit counted)`);
console.log(`  bare products  ${median(bare).toFixed(0)} ms`);
console.log(`  ratio          ${(epoch / median(bare)).toFixed(2)}`);
console.log(`  whole fit      ${(total / 1000).toFixed(1)} s, ${head.iterations} iterations`);
