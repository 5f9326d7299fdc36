import { encodeAttributes, fitAttributeEncoding } from '../../core/head/attribute-encoder.js';
import { featureMapModel, FeatureMapper, type FittedFeatureMap } from '../../core/head/feature-map.js';
import type { AttributeEncoding } from '../../core/bundle/manifest.js';
import { piecesOf, releaseRows, type Matrix, type RowSource } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { releaseOnFailure } from '../../core/release-on-failure.js';
import type { ClosedForm } from '../closed-form/kernel-ridge.js';
import { closedFormOf } from '../closed-form/remembered-closed-form.js';
import { paperTransductive, type Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { fewShotRows } from '../datasets/few-shot.js';
import type { Engine } from '../engine/contract.js';
import { featureSettingsFor } from '../features/fit.js';
import { featureMapOf } from '../features/remembered-map.js';
import { unlabelledRows } from './unlabelled-rows.js';

/**
 * What a model learns from: training rows of seen classes, mapped by the fitted feature map, and the encoded attributes of
 * all classes. Generator, head, transductive refinement, the softmax baseline and experiments all start from it.
 */
export interface TrainingData {
  readonly features: RowSource; // (rows, D), mapped; on disk when the dataset's are
  readonly labels: Int32Array; // (rows), an index into the dataset's classes
  readonly attributes: Matrix; // (C, d), encoded, of every class
  readonly seen: Int32Array;
  readonly unseen: Int32Array;
  /** Rows given of few-shot classes, which are among the unseen ones; null without any. */
  readonly fewShot: FewShotRows | null;
  /** Mapped rows of unseen classes, in the paper's transductive setting. Neither labels nor row numbers are kept. */
  readonly unlabelled: Matrix | null; // (n, D)
  readonly featureMap: FittedFeatureMap;
  readonly shrinkage: number; // with which it was fitted; 0 when nothing was whitened
  /** The feature map as an ONNX file, and ready to run. */
  readonly featureModel: Uint8Array;
  readonly mapper: FeatureMapper;
  readonly attributeEncoding: AttributeEncoding;
  /** Where attributes alone put each class; null when the generator is to learn without it. */
  readonly closedForm: ClosedForm | null;
  readonly meanLength: number; // of the mapped rows
  readonly release: () => Promise<void>;
}

interface FewShotRows {
  readonly features: Matrix; // (n, D), mapped
  readonly labels: Int32Array; // (n)
}

export async function prepareTrainingData(
  engine: Engine,
  dataset: Dataset,
  configuration: Configuration,
  signal: AbortSignal = silent.signal,
): Promise<TrainingData> {
  const { train } = dataset.splits;
  const unlabelled = paperTransductive(configuration) ? unlabelledRows(dataset) : null; // fails before anything is opened
  const featureSettings = featureSettingsFor(configuration.features, train.length, dataset.features.columns);
  const featureMap = await featureMapOf(engine, dataset, featureSettings);
  const featureModel = featureMapModel(featureMap);
  const mappedWidth = featureMap.kind === 'minmax' ? dataset.features.columns : featureMap.projection.columns;
  const mapper = await FeatureMapper.open(featureModel, mappedWidth);
  const { attributeEncoding: kind, attributeClip, attributeWeights } = configuration.generator;
  const attributeEncoding = fitAttributeEncoding(dataset.attributes, dataset.seen, kind, attributeClip);
  const labels = train.map((row) => dataset.labels[row]);
  const attributes = encodeAttributes(attributeEncoding, dataset.attributes);
  let features: RowSource | null = null;
  const release = async (): Promise<void> => {
    if (features) releaseRows(features);
    await mapper.release();
  };
  return releaseOnFailure(release, async () => {
    features = await mapper.mapAll(dataset.features, train);
    const closedForm =
      configuration.generator.closedForm === 'none'
        ? null
        : await closedFormOf(
            featureMap,
            { features, labels, seen: dataset.seen, encoded: attributes },
            signal,
            {
              weighting: attributeWeights,
              deviations: kind === 'standardised' ? attributeEncoding.deviation : undefined,
            },
          );
    return {
      features,
      labels,
      attributes,
      seen: dataset.seen,
      unseen: dataset.unseen,
      fewShot: await fewShotOf(dataset, mapper),
      unlabelled: unlabelled && (await mapper.map(unlabelled)),
      featureMap,
      shrinkage: featureMap.kind === 'whitened' ? featureSettings.shrinkage : 0,
      featureModel,
      mapper,
      attributeEncoding,
      closedForm,
      meanLength: meanLengthOf(features),
      release,
    };
  });
}

async function fewShotOf(dataset: Dataset, mapper: FeatureMapper): Promise<FewShotRows | null> {
  const rows = fewShotRows(dataset);
  if (rows.length === 0) return null;
  return {
    features: await mapper.map(dataset.features, rows),
    labels: rows.map((row) => dataset.labels[row]),
  };
}

function meanLengthOf(rows: RowSource): number {
  let sum = 0;
  for (const { data, columns } of piecesOf(rows, 1024))
    for (let start = 0; start < data.length; start += columns)
      sum += Math.sqrt(
        data.subarray(start, start + columns).reduce((squares, value) => squares + value ** 2, 0),
      );
  return sum / rows.rows;
}
