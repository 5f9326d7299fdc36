/**
 * What Prometheus sees. Labels are bounded: routes by name, statuses, stages, reasons; never a class name or a request
 * id. Everything is counted here, in the main thread; workers report their times with their answers.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';

export const stages = ['upload', 'queue', 'decode', 'infer', 'head'] as const;
export type Stage = (typeof stages)[number];

const refusalReasons = ['queue-full', 'uploads-full', 'rate'];
const reloadOutcomes = ['changed', 'unchanged', 'failed'];

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Gauges of the Node collector whose names end in _total, which Prometheus keeps for counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** What is asked at each scrape, because it changes by the mere passing of time. */
export interface RegistryReach {
  readonly isReachable: boolean;
  /** Since a change was announced that this server does not serve yet. */
  readonly secondsBehind: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(register: Registry) {
  const metrics = defineMetrics(register);
  // Known from the start at 0: a rate that first sees a counter at 1 misses what happened first.
  for (const reason of refusalReasons) metrics.refused.inc({ reason }, 0);
  for (const outcome of reloadOutcomes) metrics.modelReloads.inc({ outcome }, 0);
  for (const stage of stages) metrics.stageSeconds.zero({ stage });
  return metrics;
}

function defineMetrics(register: Registry) {
  collectDefaultMetrics({ register });
  for (const name of misnamed) register.removeSingleMetric(name);
  const registers = [register];
  let registryReach = (): RegistryReach => ({ isReachable: true, secondsBehind: 0 });
  return {
    register,
    watchRegistry(reach: () => RegistryReach): void {
      registryReach = reach;
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
    batchPictures: new Histogram({
      name: 'unseen_batch_pictures',
      help: 'Pictures in one run of the network.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    queueDepth: new Gauge({
      name: 'unseen_queue_depth',
      help: 'Pictures admitted and not yet answered.',
      registers,
    }),
    uploadBytes: new Gauge({
      name: 'unseen_upload_bytes',
      help: 'Room set aside for bodies that are being received.',
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
    workersReady: new Gauge({ name: 'unseen_workers_ready', help: 'Inference workers at work.', registers }),
    workerBytes: new Gauge({
      name: 'unseen_worker_resident_memory_bytes',
      help: 'Memory of all inference workers, which are processes of their own.',
      registers,
    }),
    workerRestarts: new Counter({
      name: 'unseen_worker_restarts_total',
      help: 'Inference workers that died and were replaced.',
      registers,
    }),
    provider: new Gauge({
      name: 'unseen_provider_info',
      help: 'Where networks run, and what was asked for.',
      labelNames: ['provider', 'requested'],
      registers,
    }),
    model: new Gauge({
      name: 'unseen_model_info',
      help: 'The model being served.',
      labelNames: ['version', 'dataset', 'backbone'],
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
    }),
    registryRevision: new Gauge({
      name: 'unseen_registry_revision',
      help: 'Revision of the class registry in the head that answers.',
      registers,
    }),
    registryUp: new Gauge({
      name: 'unseen_registry_up',
      help: 'Whether the class registry can be reached (1) or not (0).',
      registers,
      collect() {
        this.set(registryReach().isReachable ? 1 : 0);
      },
    }),
    registryBehindSeconds: new Gauge({
      name: 'unseen_registry_behind_seconds',
      help: 'Since when a change of the class registry is known of and not yet served; 0 when there is none.',
      registers,
      collect() {
        this.set(registryReach().secondsBehind);
      },
    }),
  };
}
