/**
 * The benchmark row "GZSL, runtime": a bundle that was trained without knowing the unseen classes at all is served, the classes
 * are registered over HTTP by their attributes, and the test rows are classified over HTTP.
 */
import { randomBytes } from 'node:crypto';
import { UnseenClient } from '../client/index.js';
import { openBackbone, type Backbone } from '../core/backbone/backbone.js';
import type { Bundle } from '../core/bundle/bundle.js';
import { Failure } from '../core/failures.js';
import { sharpnessFor, uncalibrated, type Sharpness } from '../core/head/sharpness.js';
import { unseenBiasFor } from '../core/head/unseen-bias.js';
import { matrix, rowOf, takeRows, type RowSource } from '../core/matrix.js';
import type { Watcher } from '../core/progress.js';
import { stopIfAsked } from '../core/stop.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { startServer } from '../server/run.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { evaluateRows, type Evaluation } from '../trainer/evaluation/evaluate.js';
import { judgeRows, testRows, unseenMask, type ScoreRows } from '../trainer/evaluation/judge-rows.js';
import { recordCalibration } from '../trainer/evaluation/record-calibration.js';
import type { ScoredMargins } from '../trainer/evaluation/metrics.js';
import { notedLogger } from './noted-logger.js';

interface RuntimeEvaluation {
  readonly evaluation: Evaluation;
  readonly registered: number;
  readonly registrationSeconds: number;
}

const rowsPerRequest = 256;
/** For a probability that single precision rounds to zero. */
const lowestLogarithm = -104;

export async function evaluateAtRuntime(
  path: string,
  bundle: Bundle,
  dataset: Dataset,
  watcher: Watcher,
  given?: Backbone,
): Promise<RuntimeEvaluation> {
  const known = new Set(bundle.manifest.classes.map(({ name }) => name));
  const fresh = dataset.classNames.flatMap((name, label) => (known.has(name) ? [] : [{ name, label }]));
  if (fresh.length === 0)
    throw new Failure(
      'usage',
      `The bundle at ${path} knows every class of ${dataset.name} already. Train it with --hide-unseen for this measurement.`,
    );
  const key = randomBytes(32).toString('hex'); // for this server alone
  const settings = serverConfigurationSchema.parse({
    adminKeys: [key],
    bundle: path,
    port: 0,
    registry: 'sqlite::memory:',
    logLevel: 'warn',
    deadlineSeconds: 120,
    bodyMegabytes: 100,
    jsonMegabytes: 100,
    consolidateAfter: 0, // a consolidation would change the rows that are being measured
  });
  // Rows of features need no network, but a server has one; the catalogue's default when the bundle names none.
  const backbone = given ?? (await openBackbone(bundle.manifest.backbone?.name, watcher));
  const server = await startServer(settings, {
    watcher,
    logger: await notedLogger(watcher),
    load: () => Promise.resolve({ bundle, backbone }),
  });
  try {
    const client = new UnseenClient({ url: server.url, key, timeoutSeconds: 600 });
    const started = performance.now();
    const classes = fresh.map(({ name, label }) => ({
      name,
      attributes: Array.from(rowOf(dataset.attributes, label)),
    }));
    await client.createClasses(classes);
    const registrationSeconds = (performance.now() - started) / 1000;
    const own = bundle.manifest.classes.filter(({ seen }) => !seen).length;
    const unseenBias = unseenBiasFor(bundle.manifest.head, own + fresh.length);
    const { confidence } = bundle.manifest;
    const recorder = confidence && recordCalibration(dataset, { unseenBias, sharpness: confidence });
    const scale = { unseenBias, sharpness: confidence ?? uncalibrated };
    const judged = await judgeOverHttp(server.url, dataset, scale, watcher, recorder?.watch);
    const evaluation = evaluateRows(judged, dataset, unseenBias);
    return {
      evaluation: recorder ? { ...evaluation, calibration: recorder.result() } : evaluation,
      registered: classes.length,
      registrationSeconds,
    };
  } finally {
    await server.stop(0);
  }
}

/** Scores are the logarithms of the probabilities answered, as they were before sharpening and less the bias of unseen classes, up to a constant per row. */
async function judgeOverHttp(
  url: string,
  dataset: Dataset,
  { unseenBias, sharpness }: { readonly unseenBias: number; readonly sharpness: Sharpness },
  watcher: Watcher,
  watch: (score: ScoreRows) => ScoreRows = (score) => score,
): Promise<ScoredMargins> {
  const label = new Map(dataset.classNames.map((name, i) => [name, i]));
  const classes = dataset.classNames.length;
  const isUnseen = unseenMask(dataset);
  const rows = testRows(dataset);
  const progress = watcher.progress('Classifying over HTTP', rows.length);
  let done = 0;
  const score: ScoreRows = async (some) => {
    const scores = matrix(some.length, classes);
    for (let start = 0; start < some.length; start += rowsPerRequest) {
      stopIfAsked(watcher.signal);
      const part = some.subarray(start, start + rowsPerRequest);
      const answers = await inferFeatures(url, dataset.features, part, classes);
      let factor = 1;
      answers.names.forEach((name, at) => {
        const c = label.get(name)!;
        if (at % classes === 0) factor = sharpnessFor(sharpness, isUnseen[c]); // the best class comes first
        const logarithm = Math.max(lowestLogarithm, Math.log(answers.probabilities[at]));
        const row = start + Math.floor(at / classes);
        scores.data[row * classes + c] = logarithm / factor - (isUnseen[c] ? unseenBias : 0);
      });
      progress.update((done += part.length));
    }
    return scores;
  };
  try {
    return await judgeRows(watch(score), dataset, rows);
  } finally {
    progress.stop();
  }
}

/** By the Open Inference Protocol, the features as bytes: as JSON they take ten times as long. */
async function inferFeatures(url: string, features: RowSource, rows: Int32Array, topK: number) {
  const bytes = Buffer.from(takeRows(features, rows).data.buffer);
  const input = { name: 'features', datatype: 'FP32', shape: [rows.length, features.columns] };
  const head = Buffer.from(
    JSON.stringify({
      inputs: [{ ...input, parameters: { binary_data_size: bytes.length } }],
      parameters: { top_k: topK },
    }),
  );
  const response = await fetch(`${url}/v2/models/unseen/infer`, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'inference-header-content-length': String(head.length),
    },
    body: Buffer.concat([head, bytes]),
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}: ${await response.text()}`);
  const { outputs } = (await response.json()) as { outputs: { name: string; data: unknown[] }[] };
  const dataOf = (name: string): unknown[] => outputs.find((output) => output.name === name)!.data;
  return { names: dataOf('class') as string[], probabilities: dataOf('probability') as number[] };
}
