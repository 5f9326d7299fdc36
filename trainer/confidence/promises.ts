/**
 * What a dry run would promise for each held-out class of a fold: how the head scores features made up for it, how near a seen
 * class lies, and how crowded its place is.
 */
import { crowdedness, nearestCosine } from '../../core/fitting/recognition.js';
import { headRows } from '../../core/head/feature-map.js';
import { Scorer, type LinearHead } from '../../core/head/scorer.js';
import { addResiduals, directionOf, donorsOf } from '../../core/head/synthetic-rows.js';
import { rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import type { Engine } from '../engine/contract.js';
import type { TrainedNetworks } from '../generator/networks.js';
import { Synthesiser } from '../generator/synthesise.js';
import type { TrainingData } from '../preparation/training-data.js';

export interface Promises {
  readonly syntheticScores: Matrix; // (classes * rowsPerPromise, C), without the bias
  readonly nearest: Float32Array; // (classes)
  readonly crowding: Float32Array; // (classes)
}

export const rowsPerPromise = 32;

export async function promisesFor(
  classes: Int32Array,
  {
    data,
    networks,
    head,
    engine,
  }: {
    readonly data: TrainingData;
    readonly networks: TrainedNetworks;
    readonly head: LinearHead;
    readonly engine: Engine;
  },
  { residual, temperature }: HeadSettings,
): Promise<Promises> {
  const synthesiser = await Synthesiser.open(engine, networks);
  const scorer = await Scorer.open();
  try {
    const random = Random.stream(0, 'promises');
    const drawn = await synthesiser.draw(data.attributes, classes, rowsPerPromise, random);
    const rows = headRows(drawn, temperature === null ? null : 1);
    if (residual > 0) {
      const donors = donorsOf(data.labels, (row) => directionOf(data.features, row));
      addResiduals(rows, donors, residual, random);
    }
    const seen = takeRows(head.weights, data.seen);
    const scale = crowdingScale(data);
    const others = (label: number): Float32Array[] =>
      Array.from(
        data.unseen.filter((one) => one !== label),
        (one) => rowOf(data.attributes, one),
      );
    return {
      syntheticScores: await scorer.score(head, headRows(rows, temperature)),
      nearest: Float32Array.from(classes, (label) => nearestCosine(rowOf(head.weights, label), seen)),
      crowding: Float32Array.from(classes, (label) =>
        crowdedness(rowOf(data.attributes, label), others(label), scale),
      ),
    };
  } finally {
    await scorer.release();
    await synthesiser.release();
  }
}

/** Sharper than the kernel of the closed form, whose distances these are: only classes that are much alike are in each other's way. */
const sharperThanKernel = 4;
/** Without a closed form all attributes count alike, at the width that suits the kernel most often. */
const usualGamma = 0.5;

export function crowdingScale({
  closedForm,
  attributes,
}: Pick<TrainingData, 'closedForm' | 'attributes'>): Float32Array {
  const width = attributes.columns;
  const scale = closedForm?.scale.data ?? new Float32Array(width).fill(Math.sqrt(usualGamma / width));
  return scale.map((value) => value * Math.sqrt(sharperThanKernel));
}
