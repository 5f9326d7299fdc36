/**
 * What Prometheus sees. Labels are bounded: routes by name, statuses, stages, reasons; never a class name or a request
 * id. Everything is counted here, in the main thread; workers report their times with their answers.
 */
import { verdicts } from '../../core/head/verdict.js';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';

const stages = ['upload', 'queue', 'decode', 'infer', 'head'] as const;
export type Stage = (typeof stages)[number];

const refusalReasons = ['queue-full', 'queue-share', 'uploads-full', 'upload-share', 'decoding-full', 'rate'];
const reloadOutcomes = ['changed', 'unchanged', 'failed'];

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Gauges of the Node collector whose names end in _total, which Prometheus keeps for counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** What is asked at each scrape: facts of the model that serves at that moment. */
interface ServingFacts {
  readonly provider: { readonly provider: string; readonly requested: string };
  readonly model: Readonly<Record<'version' | 'dataset' | 'backbone' | 'precision', string>>;
  readonly workersReady: number;
  readonly workerBytes: number;
  readonly decodersReady: number;
  /** By kind. */
  readonly classes: Readonly<Record<string, number>>;
  /** Of all classes. */
  readonly examples: number;
  readonly registryRevision: number;
  readonly registryUp: boolean;
  readonly registryWritable: boolean;
  /** Since a change was announced that this server does not serve yet. */
  readonly registrySecondsBehind: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(register: Registry) {
  const metrics = defineMetrics(register);
  // Known from the start at 0: a rate that first sees a counter at 1 misses what happened first.
  for (const reason of refusalReasons) metrics.refused.inc({ reason }, 0);
  for (const verdict of verdicts) metrics.verdicts.inc({ verdict }, 0);
  for (const outcome of reloadOutcomes) metrics.modelReloads.inc({ outcome }, 0);
  for (const stage of stages) metrics.stageSeconds.zero({ stage });
  for (const pool of ['traffic', 'sent']) metrics.poolRows.set({ pool }, 0);
  for (const kind of ['seen', 'unseen', 'none']) metrics.poolMass.set({ kind }, 0);
  return metrics;
}

function defineMetrics(register: Registry) {
  collectDefaultMetrics({ register });
  for (const name of misnamed) register.removeSingleMetric(name);
  const registers = [register];
  let facts = (): ServingFacts | null => null; // until the first model serves
  return {
    register,
    watchServing(ask: () => ServingFacts): void {
      facts = ask;
    },
    requests: new Counter({
      name: 'unseen_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'unseen_http_request_duration_seconds',
      help: 'From the headers of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: seconds,
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'unseen_stage_duration_seconds',
      help: 'Time of a picture in each stage; infer and head are those of its whole batch.',
      labelNames: ['stage'],
      buckets: seconds,
      registers,
    }),
    pictures: new Counter({
      name: 'unseen_pictures_total',
      help: 'Pictures by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    verdicts: new Counter({
      name: 'unseen_verdicts_total',
      help: 'Answered pictures and rows by verdict, where all classes could answer with the bias and the threshold of the server; nothing for models that were not measured for it.',
      labelNames: ['verdict'],
      registers,
    }),
    batchPictures: new Histogram({
      name: 'unseen_batch_pictures',
      help: 'Pictures in one run of the network.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    queueDepth: new Gauge({
      name: 'unseen_queue_depth',
      help: 'Pictures admitted and not yet answered, those still being uploaded among them.',
      registers,
    }),
    uploadBytes: new Gauge({
      name: 'unseen_upload_bytes',
      help: 'Bytes of bodies that have arrived and are not yet answered.',
      registers,
    }),
    inFlight: new Gauge({
      name: 'unseen_http_requests_in_flight',
      help: 'Requests being answered.',
      registers,
    }),
    refused: new Counter({
      name: 'unseen_refused_total',
      help: 'Requests turned away, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    workersReady: new Gauge({
      name: 'unseen_workers_ready',
      help: 'Inference workers at work.',
      registers,
      collect() {
        this.set(facts()?.workersReady ?? 0);
      },
    }),
    workerBytes: new Gauge({
      name: 'unseen_worker_resident_memory_bytes',
      help: 'Memory of all inference workers, which are processes of their own.',
      registers,
      collect() {
        this.set(facts()?.workerBytes ?? 0);
      },
    }),
    workerRestarts: new Counter({
      name: 'unseen_worker_restarts_total',
      help: 'Inference workers that died and were replaced.',
      registers,
    }),
    decoderRestarts: new Counter({
      name: 'unseen_decoder_restarts_total',
      help: 'Decoder processes that died or hung and were replaced.',
      registers,
    }),
    decodersReady: new Gauge({
      name: 'unseen_decoders_ready',
      help: 'Decoder processes at work.',
      registers,
      collect() {
        this.set(facts()?.decodersReady ?? 0);
      },
    }),
    provider: new Gauge({
      name: 'unseen_provider_info',
      help: 'Where networks run, and what was asked for.',
      labelNames: ['provider', 'requested'],
      registers,
      collect() {
        this.reset();
        const serving = facts();
        if (serving) this.set(serving.provider, 1);
      },
    }),
    model: new Gauge({
      name: 'unseen_model_info',
      help: 'The model being served, and the network that makes its features: fp32, fp16 or int8.',
      labelNames: ['version', 'dataset', 'backbone', 'precision'],
      registers,
      collect() {
        this.reset();
        const serving = facts();
        if (serving) this.set(serving.model, 1);
      },
    }),
    networkDiffers: new Gauge({
      name: 'unseen_network_differs',
      help: 'Whether the features of this replica differ (1) from those of the replica that has served the same model longest, or not (0).',
      labelNames: ['version'],
      registers,
    }),
    modelReloads: new Counter({
      name: 'unseen_model_reloads_total',
      help: 'Bundles loaded while serving, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    classes: new Gauge({
      name: 'unseen_classes',
      help: 'Classes that compete, by kind.',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, count] of Object.entries(facts()?.classes ?? {})) this.set({ kind }, count);
      },
    }),
    examples: new Gauge({
      name: 'unseen_examples',
      help: 'Example pictures of classes whose features are kept.',
      registers,
      collect() {
        this.set(facts()?.examples ?? 0);
      },
    }),
    poolRows: new Gauge({
      name: 'unseen_pool_rows',
      help: 'Unlabelled pictures whose features are kept to learn from: of classified ones (traffic), and of those that were sent.',
      labelNames: ['pool'],
      registers,
    }),
    poolMass: new Gauge({
      name: 'unseen_pool_mass_ratio',
      help: 'Share of the sample of classified pictures that is of seen classes, of unseen ones, or of none of these, when it was last surveyed.',
      labelNames: ['kind'],
      registers,
    }),
    poolDrift: new Gauge({
      name: 'unseen_pool_drift_ratio',
      help: 'How far the sample of classified pictures lies from the middle of the training rows, as a multiple of how far these lie from it.',
      registers,
    }),
    lastAdaptation: new Gauge({
      name: 'unseen_adaptation_timestamp_seconds',
      help: 'When the adaptation in force was made, in seconds since 1970; 0 when there is none.',
      registers,
    }),
    registryRevision: new Gauge({
      name: 'unseen_registry_revision',
      help: 'Revision of the class registry in the head that answers.',
      registers,
      collect() {
        this.set(facts()?.registryRevision ?? 0);
      },
    }),
    registryUp: new Gauge({
      name: 'unseen_registry_up',
      help: 'Whether the class registry can be reached (1) or not (0).',
      registers,
      collect() {
        this.set((facts()?.registryUp ?? true) ? 1 : 0);
      },
    }),
    registryWritable: new Gauge({
      name: 'unseen_registry_writable',
      help: 'Whether the last write to the class registry succeeded (1) or not (0).',
      registers,
      collect() {
        this.set((facts()?.registryWritable ?? true) ? 1 : 0);
      },
    }),
    registryBehindSeconds: new Gauge({
      name: 'unseen_registry_behind_seconds',
      help: 'Since when a change of the class registry is known of and not yet served; 0 when there is none.',
      registers,
      collect() {
        this.set(facts()?.registrySecondsBehind ?? 0);
      },
    }),
  };
}
