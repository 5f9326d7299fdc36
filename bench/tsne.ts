/**
 * t-SNE of 3,000 rows of 2048 values, as the report of a training run draws it, against its limit of 30 s; and what one
 * iteration takes against the exact form of ours and against the npm package @keckelt/tsne (van der Maaten's sums over
 * all pairs, in JavaScript), in turns on the same points:
 *   npm run bench -- tsne [rows] [width]
 */
import { TSNE } from '@keckelt/tsne';
import { MatrixProducts } from '../core/compute/matrix-products.js';
import { matrix } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { affinities } from '../trainer/report/tsne/affinities.js';
import { gradient } from '../trainer/report/tsne/gradient.js';
import { nearestNeighbours } from '../trainer/report/tsne/neighbours.js';
import { principalCoordinates } from '../trainer/report/tsne/principal.js';
import { Quadtree } from '../trainer/report/tsne/quadtree.js';
import { defaultTsne, tsne } from '../trainer/report/tsne/tsne.js';
import { median } from './quantiles.js';

const [rows = 3000, width = 2048] = process.argv.slice(2).map(Number);
const groups = 20;
const limitSeconds = 30;
const rounds = 5;

const random = new Random(1);
const centres = random.fillNormal(new Float32Array(groups * width), 0.4);
const data = matrix(rows, width, random.fillNormal(new Float32Array(rows * width)));
for (let i = 0; i < rows; i++)
  for (let k = 0; k < width; k++) data.data[i * width + k] += centres[(i % groups) * width + k];

const started = performance.now();
const before = process.cpuUsage();
const result = await tsne(data, new Random(2), silent);
const seconds = (performance.now() - started) / 1000;
const processor = process.cpuUsage(before);

const products = await MatrixProducts.open();
const coordinates = await principalCoordinates(
  data,
  defaultTsne.principalDirections,
  new Random(2),
  products,
);
const wishes = affinities(await nearestNeighbours(coordinates, 90, products), defaultTsne.perplexity);
await products.release();
const peer = new TSNE({ perplexity: defaultTsne.perplexity, dim: 2 });
peer.initDataRaw(
  Array.from({ length: rows }, (_, i) =>
    Array.from(coordinates.data.subarray(i * coordinates.columns, (i + 1) * coordinates.columns)),
  ),
);
const tree = new Quadtree(rows);
const slope = new Float64Array(2 * rows);
const times: Record<'ours' | 'exact' | 'peer', number[]> = { ours: [], exact: [], peer: [] };
const timed = (name: keyof typeof times, run: () => void): void => {
  const start = performance.now();
  run();
  times[name].push(performance.now() - start);
};
for (let round = 0; round <= rounds; round++) {
  timed('ours', () =>
    gradient(result.points, wishes, tree, { theta: defaultTsne.theta, exaggeration: 1 }, slope),
  );
  timed('exact', () => gradient(result.points, wishes, tree, { theta: 0, exaggeration: 1 }, slope));
  timed('peer', () => peer.step());
}
const iteration = (name: keyof typeof times): number => median(times[name].slice(1)); // the first warms up

console.log(`t-SNE of ${rows} rows of ${width} values, ${defaultTsne.iterations} iterations`);
console.log(
  `  all of it        ${seconds.toFixed(1)} s   ${(seconds / limitSeconds).toFixed(2)} of the limit of ${limitSeconds} s`,
);
console.log(
  `  processor time   ${((processor.user + processor.system) / 1e6).toFixed(1)} s   over all threads: on a busy machine, the surer figure`,
);
console.log(`  divergence       ${result.divergence.toFixed(3)} nats`);
console.log(`  one iteration    ${iteration('ours').toFixed(1)} ms   medians of ${rounds}, in turns`);
for (const [name, label] of [
  ['exact', 'exact sums'],
  ['peer', '@keckelt/tsne'],
] as const)
  console.log(
    `  ${label.padEnd(16)} ${iteration(name).toFixed(1)} ms   ours takes ${(iteration('ours') / iteration(name)).toFixed(3)} of it`,
  );
if (seconds > limitSeconds) process.exitCode = 1;
