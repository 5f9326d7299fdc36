import { readBundle } from '../../../../core/bundle/read.js';
import type { Bundle } from '../../../../core/bundle/bundle.js';
import type { FitProblem } from '../../../../core/head/runtime/problem.js';
import type { FittedRow, RuntimeClass } from '../../../../core/head/runtime/runtime-class.js';
import { prototypesOf } from '../../../../core/head/runtime/synthetic-class.js';
import type { Arrangement, World } from '../../../../core/head/runtime/world.js';
import { rowOf } from '../../../../core/matrix.js';
import { silent } from '../../../../core/progress.js';
import { Random } from '../../../../core/random.js';
import { OnnxEngine } from '../../../../trainer/engine/onnx/engine.js';
import { hideUnseen, train } from '../../../../trainer/train.js';
import { temporaryFolder } from '../../../support/folders.js';
import { smallConfiguration } from '../../../support/small-configuration.js';
import { syntheticDataset } from '../../../support/synthetic-dataset.js';

export const dataset = syntheticDataset({ seen: 24, unseen: 8, rowsPerClass: 15 });

/** The unseen classes, of which a bundle trained without them knows nothing. */
export const unseenClasses: readonly RuntimeClass[] = Array.from(dataset.unseen, (label) => ({
  name: dataset.classNames[label],
  attributes: Array.from(rowOf(dataset.attributes, label)),
}));

/** Trained in a second, with the unseen classes hidden or known. */
export async function smallBundle(isHidden = true): Promise<Bundle> {
  const out = `${temporaryFolder()}/bundle`;
  await train({
    dataset: isHidden ? hideUnseen(dataset) : dataset,
    configuration: smallConfiguration({
      generator: { epochs: 12 },
      head: { samplesPerClass: 40, syntheticWeight: 2 },
    }),
    seeds: [1],
    engine: new OnnxEngine({ threads: 1 }),
    out,
    resume: false,
    watcher: silent,
  });
  return readBundle(out);
}

/** Runtime classes all looked for, beside those of the bundle: their prototypes are the prior. */
export function problemOf(world: World, { data, baseSums, classes }: Arrangement): FitProblem {
  const { base } = world.source;
  const [count, bundleClasses] = [classes.length, base.bias.length];
  const columnOf = Int32Array.from({ length: bundleClasses + count }, (_, label) =>
    label < bundleClasses ? -1 : label - bundleClasses,
  );
  return {
    data,
    columnOf,
    offsets: baseSums,
    prior: prototypesOf(classes),
    regularisation: world.regularisation,
    mass: world.mass,
  };
}

export function withRows(classes: readonly RuntimeClass[], rows: readonly FittedRow[]): RuntimeClass[] {
  return classes.map((one, i) => ({ ...one, row: rows[i] }));
}

/** Largest difference of two classes' scores over directions of the length that the head sees. */
export function scoreDifference(a: readonly FittedRow[], b: readonly FittedRow[], temperature = 10): number {
  const random = new Random(3);
  let most = 0;
  for (let trial = 0; trial < 50; trial++) {
    const row = random.fillNormal(new Float32Array(a[0].weights.length));
    const factor = temperature / Math.hypot(...row);
    a.forEach(({ weights, bias }, c) => {
      let difference = bias - b[c].bias;
      row.forEach((value, k) => (difference += value * factor * (weights[k] - b[c].weights[k])));
      most = Math.max(most, Math.abs(difference));
    });
  }
  return most;
}
