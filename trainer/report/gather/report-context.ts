import type { Bundle } from '../../../core/bundle/bundle.js';
import { Failure } from '../../../core/failures.js';
import { encodeAttributes } from '../../../core/head/attribute-encoder.js';
import { FeatureMapper } from '../../../core/head/feature-map.js';
import { Generator } from '../../../core/head/generator.js';
import type { LinearHead } from '../../../core/head/scorer.js';
import { takeRows, type Matrix } from '../../../core/matrix.js';
import { configurationSchema, type Configuration } from '../../configuration.js';
import type { Dataset } from '../../datasets/dataset.js';
import { biasOf, judgeAndEvaluate, matchClasses } from '../../evaluation/evaluate-bundle.js';
import type { Evaluation } from '../../evaluation/evaluate.js';
import { testRows } from '../../evaluation/judge-rows.js';
import type { ScoredMargins } from '../../evaluation/metrics.js';

/** A saved model and its dataset, opened once for all parts of the report. */
export interface ReportContext {
  readonly bundle: Bundle;
  readonly dataset: Dataset;
  readonly configuration: Configuration;
  readonly unseenBias: number;
  readonly attributes: Matrix; // (C, d), encoded, in the dataset's order of classes
  readonly testRows: Int32Array; // (n), rows of the dataset, those of seen classes first
  readonly testLabels: Int32Array; // (n)
  readonly judged: ScoredMargins; // of the test rows
  readonly evaluation: Evaluation;
  readonly head: LinearHead; // in the dataset's order of classes
  readonly mapper: FeatureMapper;
  readonly generator: Generator;
  release(): Promise<void>;
}

export async function openReportContext(bundle: Bundle, dataset: Dataset): Promise<ReportContext> {
  const { manifest } = bundle;
  const configuration = readSettings(bundle);
  const { judged, evaluation } = await judgeAndEvaluate(bundle, dataset);
  const rows = testRows(dataset);
  const unseenBias = biasOf(manifest, dataset);
  const mapper = await FeatureMapper.open(bundle.featureMap, manifest.featureMap.mappedWidth);
  const generator = await Generator.open(bundle);
  return {
    bundle,
    dataset,
    configuration,
    unseenBias,
    attributes: encodeAttributes(manifest.attributeEncoding, dataset.attributes),
    testRows: rows,
    testLabels: rows.map((row) => dataset.labels[row]),
    judged,
    evaluation,
    head: headOf(bundle, dataset),
    mapper,
    generator,
    release: async () => {
      await mapper.release();
      await generator.release();
    },
  };
}

function headOf(bundle: Bundle, dataset: Dataset): LinearHead {
  const order = matchClasses(bundle, dataset);
  return {
    weights: takeRows(bundle.weights, order),
    bias: Float32Array.from(order, (place) => bundle.bias[place]),
  };
}

function readSettings({ manifest }: Bundle): Configuration {
  const parsed = configurationSchema.safeParse(manifest.configuration);
  // What a bundle from before a setting existed was fitted with is in the manifest, not the default of today.
  const { realPrior, intercepts } = manifest.head;
  if (parsed.success) return { ...parsed.data, head: { ...parsed.data.head, realPrior, intercepts } };
  const [first] = parsed.error.issues;
  throw new Failure(
    'bundle-invalid',
    `The bundle was trained with settings that this version does not know (${first.path.join('.')}: ${first.message}). ` +
      'Make its report with the version that trained it.',
  );
}
