/** Loads, listens, and ends: the server as one object. Signals are the caller's: see cli/commands/serve.ts. */
import type { Server } from 'node:http';
import { Registry } from 'prom-client';
import { blockOtherDecoders } from '../core/backbone/preprocess.js';
import type { Watcher } from '../core/progress.js';
import type { AppDependencies } from './app.js';
import type { ServerConfiguration } from './configuration.js';
import { ServedClasses } from './classes/served-classes.js';
import { requireAdmin, requireCaller } from './http/keys.js';
import { UploadBudget } from './http/upload-budget.js';
import { loadModel, type LoadedModel } from './inference/load-model.js';
import { InferenceService } from './inference/service.js';
import { WorkerProcesses } from './inference/worker-processes.js';
import { listen, portOf } from './listen.js';
import { createLogger, type Logger } from './observability/logger.js';
import { createMetrics } from './observability/metrics.js';
import { openTracing } from './observability/tracing.js';
import { Reloader } from './reload.js';
import { Lifecycle } from './state.js';

export interface ServerOptions {
  readonly watcher: Watcher;
  readonly logger?: Logger;
  /** Where some may have been begun already. */
  readonly processes?: WorkerProcesses;
  /** Instead of what the settings name; for tests. */
  readonly load?: () => Promise<LoadedModel>;
}

export interface RunningServer {
  readonly url: string;
  readonly metricsUrl: string;
  readonly inference: InferenceService;
  readonly dependencies: AppDependencies;
  reload(): Promise<{ readonly version: string; readonly changed: boolean }>;
  /** Not ready at once; serves on for the grace time; then answers what is under way, and ends. */
  stop(graceSeconds?: number): Promise<void>;
}

export async function startServer(
  settings: ServerConfiguration,
  {
    watcher,
    logger = createLogger(settings),
    processes = new WorkerProcesses(),
    load = () => loadModel(settings, watcher),
  }: ServerOptions,
): Promise<RunningServer> {
  blockOtherDecoders();
  const metrics = createMetrics(new Registry());
  processes.prepare(settings.workers);
  const end: (() => unknown)[] = [
    () => {
      processes.close();
    },
  ];
  const undo = async (error: unknown): Promise<never> => {
    for (const step of end.reverse()) await step();
    throw error;
  };
  const tracing = await openTracing(settings, logger).catch(undo);
  end.push(() => tracing?.close());
  const loading = load();
  const bundle = loading.then((loaded) => loaded.bundle);
  const classes = await ServedClasses.open(settings, bundle, metrics, logger).catch(undo);
  end.push(() => classes.close());
  const context = { metrics, logger, processes };
  const [inference, { createApp, createMetricsApp }] = await Promise.all([
    InferenceService.open(await loading, classes.registry, settings, context),
    import('./app.js'), // while the workers warm up
  ]).catch(undo);
  end.push(() => inference.close());
  const state = new Lifecycle(inference, classes);
  const reloader = new Reloader(load, inference, classes, metrics, logger);
  const dependencies: AppDependencies = {
    settings,
    inference,
    classes,
    metrics,
    logger,
    tracing,
    state,
    uploads: new UploadBudget(settings.uploadMegabytes * 1e6, metrics),
    caller: requireCaller(settings),
    admin: requireAdmin(settings),
    reload: () => reloader.reload(),
  };
  const servers: Server[] = [];
  end.push(() => close(servers, settings.drainSeconds));
  servers.push(await listen(createApp(dependencies), settings.port, settings).catch(undo));
  if (settings.metricsPort !== undefined)
    servers.push(await listen(createMetricsApp(dependencies), settings.metricsPort, settings).catch(undo));
  const address = (server: Server): string =>
    `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${portOf(server)}`;
  logger.info({ url: address(servers[0]) }, 'listening');
  classes.registry.warmUp();
  let stopping: Promise<void> | null = null;
  const stop = async (graceSeconds: number): Promise<void> => {
    state.draining = true;
    logger.info({ graceSeconds }, 'no longer ready');
    await new Promise((resolve) => setTimeout(resolve, graceSeconds * 1000));
    for (const step of end.reverse()) await step();
    logger.info('stopped');
  };
  return {
    url: address(servers[0]),
    metricsUrl: `${address(servers.at(-1)!)}/metrics`,
    inference,
    dependencies,
    reload: () => reloader.reload(),
    stop: (graceSeconds = settings.graceSeconds) => (stopping ??= stop(graceSeconds)),
  };
}

/** No new connections; those under way get their answers, as long as that may take. */
async function close(servers: readonly Server[], seconds: number): Promise<void> {
  await Promise.all(
    servers.map(async (server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const idle = setInterval(() => {
        server.closeIdleConnections(); // a connection may have become idle since, and would hold us up
      }, 100);
      const limit = setTimeout(() => {
        server.closeAllConnections();
      }, seconds * 1000);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    }),
  );
}
