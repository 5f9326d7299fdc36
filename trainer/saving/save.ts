import type { BundleContent } from '../../core/bundle/bundle.js';
import type { Confidence } from '../../core/bundle/confidence-description.js';
import { readBundle } from '../../core/bundle/read.js';
import { writeBundle } from '../../core/bundle/write.js';
import { BoundTensor, Session } from '../../core/compute/session.js';
import { Failure } from '../../core/failures.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { packGeometry } from '../../core/head/novelty/geometry.js';
import { fitGeometry } from '../confidence/fit-geometry.js';
import { fitPlacement } from '../confidence/fit-placement.js';
import { crowdingScale } from '../confidence/promises.js';
import { describeRecognition } from '../confidence/recognition.js';
import type { FittedGeometry } from '../confidence/fold-sample.js';
import type { Configuration } from '../configuration.js';
import { countRows } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';
import { fingerprint } from '../datasets/fingerprint.js';
import type { Engine } from '../engine/contract.js';
import { openScoring, type ScoringModel } from '../evaluation/evaluate.js';
import { Synthesiser } from '../generator/synthesise.js';
import { resolvedRegularisation } from '../head/fit.js';
import { resolvedSamplesPerClass, resolvedSyntheticWeight } from '../head/training-set.js';
import type { TrainedModel } from '../model.js';
import { evidenceOf } from '../selection/evidence.js';
import type { Selection } from '../selection/search.js';
import { modelOfBundle } from './restore.js';
import { exportGenerator, exportPredictor } from './export.js';

export interface ModelToSave {
  readonly dataset: Dataset;
  readonly model: TrainedModel;
  readonly configuration: Configuration;
  readonly seed: number;
  readonly bias: Selection['bias'];
  readonly evidence: Selection['evidence'];
  readonly assignment: Selection['assignment'];
  readonly confidence: Selection['confidence'];
  readonly metrics: Readonly<Record<string, unknown>>;
  /** What the head has learnt from unlabelled rows; left out when there were none. */
  readonly adaptation?: BundleContent['description']['adaptation'];
}

/** Writes the bundle, reads it back, and publishes it only if it gives the scores of the model in memory. */
export async function saveModel(target: string, saved: ModelToSave, engine: Engine): Promise<void> {
  const geometry = saved.confidence && (await fitGeometry(saved.model.data));
  await writeBundle(target, bundleContent(saved, geometry), {
    verify: (path) => verifyBundle(path, saved, engine),
  });
}

function bundleContent(saved: ModelToSave, geometry: FittedGeometry | null): BundleContent {
  const { dataset, model, configuration } = saved;
  const { data, networks, head } = model;
  const rawWidth = dataset.features.columns;
  const { evidence, deviations } = evidenceOf(data, configuration, saved.evidence);
  const synthesised = configuration.head.syntheticSeen ? dataset.classNames : data.unseen;
  const samplesPerClass = resolvedSamplesPerClass(configuration.head, synthesised.length);
  return {
    featureMap: data.featureModel,
    generator: exportGenerator(networks),
    predictor: exportPredictor(networks),
    weights: head.weights,
    bias: head.bias,
    deviations,
    novelty: geometry && packGeometry(geometry.geometry),
    examples: examplesOf(data.fewShot),
    replay: replayRows(saved),
    description: {
      method: 'ot-zsl',
      seed: saved.seed,
      configuration,
      dataset: { name: dataset.name, fingerprint: fingerprint(dataset) },
      backbone: dataset.backbone,
      attributes: attributeRanges(dataset),
      classes: describedClasses(dataset, data.fewShot),
      attributeEncoding: data.attributeEncoding,
      featureMap: {
        kind: data.featureMap.kind,
        width: rawWidth,
        mappedWidth: data.features.columns,
        power: data.featureMap.power,
        shrinkage: data.shrinkage,
      },
      head: {
        unseenBias: saved.bias.unseenBias,
        unseenBiasRange: [...saved.bias.range],
        unseenBiasSlope: saved.bias.slope,
        unseenBiasClasses: saved.bias.classes,
        regularisation: resolvedRegularisation(configuration.head, dataset.classNames.length),
        samplesPerClass,
        noiseWidth: networks.sizes.noise,
        temperature: configuration.head.temperature,
        syntheticWeight: resolvedSyntheticWeight(
          configuration.head,
          samplesPerClass,
          data.labels.length,
          data.seen.length,
        ),
        syntheticSeen: configuration.head.syntheticSeen,
        residual: configuration.head.residual,
        prior: configuration.head.prior,
        realPrior: configuration.head.realPrior,
        intercepts: configuration.head.intercepts,
        evidence,
        assignment: saved.assignment,
      },
      confidence: confidenceOf(saved, geometry),
      metrics: saved.metrics,
      ...(saved.adaptation && { adaptation: saved.adaptation }),
    },
  };
}

/** The classes as the manifest has them. */
export function describedClasses(
  { classNames, attributes, seen }: Pick<Dataset, 'classNames' | 'attributes' | 'seen'>,
  fewShot: TrainedModel['data']['fewShot'],
): BundleContent['description']['classes'] {
  const isSeen = new Set(seen);
  const counts = fewShot
    ? countRows(fewShot.labels, Int32Array.from(fewShot.labels.keys()))
    : new Map<number, number>();
  return classNames.map((name, label) => ({
    name,
    seen: isSeen.has(label),
    ...(counts.has(label) && { fewShot: counts.get(label)! }),
    attributes: Array.from(takeRows(attributes, [label]).data),
  }));
}

/** The rows of few-shot classes, by class. */
function examplesOf(fewShot: TrainedModel['data']['fewShot']): Map<number, Matrix> {
  if (!fewShot) return new Map();
  const { features, labels } = fewShot;
  return new Map(
    Array.from(new Set(labels), (label) => [
      label,
      takeRows(
        features,
        Array.from(labels.keys()).filter((row) => labels[row] === label),
      ),
    ]),
  );
}

/** What validation found, with where known pictures lie by all training rows. */
function confidenceOf(
  { confidence: fitted, model, dataset }: Pick<ModelToSave, 'confidence' | 'model' | 'dataset'>,
  geometry: FittedGeometry | null,
): Confidence | null {
  if (!fitted || !geometry) return null;
  const { novelty, recognition, ...measured } = fitted;
  const { spreads, meanLength } = geometry;
  const encodedOf = (name: string): Float32Array =>
    rowOf(model.data.attributes, dataset.classNames.indexOf(name));
  return {
    ...measured,
    recognition: recognition && describeRecognition(recognition, encodedOf, crowdingScale(model.data)),
    novelty: { ...novelty, ...spreads, meanLength, placement: fitPlacement(model.head, geometry) },
  };
}

/** At most so many real rows of each seen class, drawn by the seed. */
function replayRows({ model, configuration, seed }: ModelToSave): { features: Matrix; labels: Int32Array } {
  const { features, labels } = model.data;
  const order = Random.stream(seed, 'replay').shuffle(Array.from(labels.keys()));
  const kept = new Map<number, number>();
  const rows = order
    .filter((row) => {
      const count = kept.get(labels[row]) ?? 0;
      kept.set(labels[row], count + 1);
      return count < configuration.head.replayPerClass;
    })
    .sort((a, b) => a - b);
  return { features: takeRows(features, rows), labels: Int32Array.from(rows, (row) => labels[row]) };
}

function attributeRanges({ attributes, attributeNames, attributeNotes, seen }: Dataset) {
  return attributeNames.map((name, k) => {
    const values = Array.from(seen, (label) => attributes.data[label * attributes.columns + k]);
    return { name, minimum: Math.min(...values), maximum: Math.max(...values), ...attributeNotes?.[k] };
  });
}

const verifiedRows = 64;

async function verifyBundle(
  path: string,
  { dataset, model, configuration }: ModelToSave,
  engine: Engine,
): Promise<void> {
  const bundle = await readBundle(path);
  const restored = await modelOfBundle(bundle);
  const rows = dataset.splits.train.subarray(0, verifiedRows);
  const { temperature } = configuration.head;
  const inMemory = { mapper: model.data.mapper, head: model.head, temperature };
  const before = await scoresOf(inMemory, dataset, rows);
  const after = await scoresOf(restored, dataset, rows);
  await restored.mapper.release();
  refuseUnless(largestDifference(before.data, after.data) === 0, 'its scores differ');

  const synthesiser = await Synthesiser.open(engine, model.networks);
  const { sizes } = model.networks;
  const noise = Random.stream(0, 'verify').fillNormal(new Float32Array(verifiedRows * sizes.noise));
  const labels = Int32Array.from({ length: verifiedRows }, (_, i) => i % dataset.classNames.length);
  const expected = await synthesiser.drawWith(model.data.attributes, labels, noise);
  await synthesiser.release();
  const generator = await Session.open(bundle.generator);
  const encoded = takeRows(model.data.attributes, labels);
  const { features } = await generator.run({
    attributes: BoundTensor.floats([verifiedRows, sizes.attributes], encoded.data),
    noise: BoundTensor.floats([verifiedRows, sizes.noise], noise),
  });
  await generator.release();
  const found = matrix(verifiedRows, sizes.features, features.data as Float32Array);
  const scale = expected.data.reduce((max, value) => Math.max(max, Math.abs(value)), 1e-6);
  refuseUnless(
    largestDifference(found.data, expected.data) / scale < 1e-4,
    'its generator answers differently',
  );
}

async function scoresOf(model: ScoringModel, { features }: Dataset, rows: Int32Array): Promise<Matrix> {
  const scoring = await openScoring(model, features);
  const scores = await scoring.score(rows);
  await scoring.release();
  return scores;
}

function refuseUnless(holds: boolean, reason: string): void {
  if (!holds) {
    throw new Failure(
      'training-failed',
      `The bundle as written does not reproduce the model in memory: ${reason}. It was not published.`,
    );
  }
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i])), 0);
}
