/**
 * One IPOT solve (128 x 128, 50 iterations) in the training graph and on its own, against a plain NumPy loop:
 *   npm run bench -- transport
 * They alternate; figures are medians. Needs Debian's python3-numpy.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf } from '../core/hash.js';
import { matrix } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { defaultIpot, solveIpot } from '../trainer/transport/ipot.js';
import { ipotPlan } from '../trainer/transport/operations.js';
import { transportResult } from '../trainer/transport/transport-problem.js';
import { Peer } from './peer.js';
import { median } from './quantiles.js';

const size = 128;
const rounds = 10;
const solvesPerRound = 20;

const random = new Random(1);
const problem = {
  cost: matrix(
    size,
    size,
    new Float32Array(size * size).map(() => 0.13 + 0.33 * random.uniform()),
  ),
};
const engine = new OnnxEngine({ threads: availableParallelism() });
const graph = await engine.evaluator({
  name: 'ipot',
  inputs: { cost: [size, size] },
  parameters: {},
  build: (ops, { cost }) => ({ plan: ipotPlan(ops, cost, defaultIpot) }),
});
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
const file = join(folder, 'cost.f32');
writeFileSync(file, bytesOf(problem.cost.data));
const peer = new Peer('transport.py', [size, size, defaultIpot.iterations, file]);

const times: Record<'graph' | 'alone' | 'numpy', number[]> = { graph: [], alone: [], numpy: [] };
let costs = { graph: 0, alone: 0, numpy: 0 };
for (let round = 0; round <= rounds; round++) {
  const keep = round > 0; // the first round warms up
  for (let i = 0; i < solvesPerRound; i++) {
    const start = performance.now();
    const { plan } = await graph.run({ cost: problem.cost.data }, {});
    const middle = performance.now();
    const alone = solveIpot(problem);
    const end = performance.now();
    if (keep) times.graph.push(middle - start);
    if (keep) times.alone.push(end - middle);
    costs = {
      ...costs,
      graph: transportResult(problem, matrix(size, size, plan), 0).cost,
      alone: alone.cost,
    };
  }
  const theirs = await peer.ask<{ times: number[]; cost: number }>(solvesPerRound);
  if (keep) times.numpy.push(...theirs.times.map((seconds) => 1000 * seconds));
  costs.numpy = theirs.cost;
}
peer.close();
rmSync(folder, { recursive: true });
await graph.release();

const numpy = median(times.numpy);
console.log(
  `IPOT, ${size} x ${size}, ${defaultIpot.iterations} iterations; medians of ${times.graph.length} solves in turns`,
);
for (const [name, label] of [
  ['graph', 'in the training graph'],
  ['alone', 'on its own, double precision'],
  ['numpy', 'NumPy loop'],
] as const) {
  const time = median(times[name]);
  console.log(
    `  ${label.padEnd(30)} ${time.toFixed(2)} ms   ${(time / numpy).toFixed(2)} of NumPy's   cost ${costs[name].toFixed(5)}`,
  );
}
