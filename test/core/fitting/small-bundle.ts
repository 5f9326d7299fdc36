import { readBundle } from '../../../core/bundle/read.js';
import type { Bundle } from '../../../core/bundle/bundle.js';
import type { FitProblem } from '../../../core/fitting/objective/fit-problem.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import type { HeadRow } from '../../../core/head/head-table.js';
import { prototypesOf } from '../../../core/fitting/rows/synthetic-class.js';
import type { AssembledRows, RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { hideUnseen, train } from '../../../trainer/train.js';
import { temporaryFolder } from '../../support/folders.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

export const dataset = syntheticDataset({ seen: 24, unseen: 8, rowsPerClass: 15 });

/** The unseen classes, of which a bundle trained without them knows nothing. */
export const unseenClasses: readonly RuntimeClass[] = Array.from(dataset.unseen, (label) => ({
  name: dataset.classNames[label],
  attributes: Array.from(rowOf(dataset.attributes, label)),
}));

/** Settings under which the head sees rows at the length that they have, as the paper's does. */
export const rowsAsTheyAre = {
  features: { kind: 'minmax', power: 1 },
  head: { temperature: null, prior: 'zero', residual: 0, syntheticWeight: null, regularisation: 1e-3 },
} as const;

/** Trained in a second, with the unseen classes hidden or known. */
export async function smallBundle(
  isHidden = true,
  over: Pick<Parameters<typeof smallConfiguration>[0] & object, 'features' | 'head' | 'validation'> = {},
): Promise<Bundle> {
  const out = `${temporaryFolder()}/bundle`;
  await train({
    dataset: isHidden ? hideUnseen(dataset) : dataset,
    configuration: smallConfiguration({
      generator: { epochs: 12 },
      ...over,
      // As weak as with 200 classes: what is tested is how rows move away from their prior.
      head: { samplesPerClass: 40, syntheticWeight: 2, regularisation: 0.1, ...over.head },
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
export function fitProblemOf(
  assembly: RowAssembly,
  { rows, baseOffsets, classes }: AssembledRows,
): FitProblem {
  const { base, settings } = assembly.context;
  const [count, bundleClasses] = [classes.length, base.bias.length];
  const columnOf = Int32Array.from({ length: bundleClasses + count }, (_, label) =>
    label < bundleClasses ? -1 : label - bundleClasses,
  );
  return {
    rows,
    columnOf,
    offsets: baseOffsets,
    prior: settings.prior === 'zero' ? matrix(count, base.weights.columns) : prototypesOf(classes),
    regularisation: settings.regularisation,
    intercepts: settings.intercepts,
    classWeight: settings.classWeight,
  };
}

export function withRows(classes: readonly RuntimeClass[], rows: readonly HeadRow[]): RuntimeClass[] {
  return classes.map((one, i) => ({ ...one, row: rows[i] }));
}

/** Largest difference of two classes' scores over directions of the length that the head sees. */
export function scoreDifference(a: readonly HeadRow[], b: readonly HeadRow[], temperature = 10): number {
  const random = new Random(3);
  let max = 0;
  for (let trial = 0; trial < 50; trial++) {
    const row = random.fillNormal(new Float32Array(a[0].weights.length));
    const factor = temperature / Math.hypot(...row);
    a.forEach(({ weights, bias }, c) => {
      let difference = bias - b[c].bias;
      row.forEach((value, k) => (difference += value * factor * (weights[k] - b[c].weights[k])));
      max = Math.max(max, Math.abs(difference));
    });
  }
  return max;
}
