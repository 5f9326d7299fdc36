/** Loads, listens, and ends: the server as one object. Signals are the caller's: see cli/commands/serve.ts. */
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { Registry } from 'prom-client';
import type { Watcher } from '../core/progress.js';
import { PoolWatch } from './adaptation/pool-watch.js';
import { openAccess } from './access.js';
import type { AppDependencies } from './app.js';
import { logCertificate, readCertificate, reloadCertificate } from './certificate.js';
import type { ClassStore } from './classes/store/contract.js';
import type { ServerConfiguration } from './configuration.js';
import { isMissing } from './classes/store/location.js';
import { logStoreHealth } from './classes/store/log-store-health.js';
import { openStorePatiently } from './classes/store/open-patiently.js';
import { Decoders } from './decoding/decoders.js';
import { auditReloadBySignal } from './http/audit.js';
import { requireAdmin, requireCaller } from './http/keys.js';
import { UploadBudget } from './http/upload-budget.js';
import { Admission } from './inference/admission.js';
import { networkStart } from './inference/network-start.js';
import { WorkerProcesses } from './inference/worker-processes.js';
import { CurrentModel } from './model/current-model.js';
import { loadModel, type LoadedModel } from './model/load-model.js';
import { Reloader } from './model/reload.js';
import { ReplicaComparison } from './model/replica-comparison.js';
import { listen, portOf } from './listen.js';
import { createLogger, type Logger } from './observability/logger.js';
import { createMetrics } from './observability/metrics.js';
import { openTracing } from './observability/tracing.js';
import type { OwnKey } from './own-key.js';
import { Lifecycle } from './state.js';

interface RunOptions {
  readonly watcher: Watcher;
  readonly logger?: Logger;
  /** Some may have been started already. */
  readonly processes?: WorkerProcesses;
  /** Instead of what the settings name; for tests. */
  readonly load?: () => Promise<LoadedModel>;
}

/** Everything has run once by then. */
const firstAnswerSeconds = 10;

export interface RunningServer {
  readonly url: string;
  readonly metricsUrl: string;
  readonly models: CurrentModel;
  readonly decoders: Decoders;
  readonly dependencies: AppDependencies;
  /** The key that it made for itself; null where keys are configured, or where it may make none. */
  readonly ownKey: OwnKey | null;
  /** What SIGHUP asks for: bundle and certificate are read again. */
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
    load = () =>
      loadModel(settings, watcher, logger, (backbone) => {
        processes.openAhead(networkStart(backbone, settings));
      }),
  }: RunOptions,
): Promise<RunningServer> {
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
  const certificate = await readCertificate(settings).catch(undo);
  if (certificate) logCertificate(certificate, logger);
  const tracing = await openTracing(settings, logger).catch(undo);
  end.push(() => tracing?.close());
  const [loaded, store] = await openBoth(load(), settings, logger).catch(undo);
  end.push(() => store.close());
  logStoreHealth(store, logger);
  const { keys, ownKey, announce } = await openAccess(settings, watcher, logger).catch(undo);
  const admission = new Admission(settings, metrics);
  const decoders = new Decoders(settings, metrics, logger, processes.slots);
  end.push(() => decoders.close());
  const context = { settings, store, processes, admission, decoders, metrics, logger };
  const [models, { createListener, createMetricsApp }] = await Promise.all([
    CurrentModel.open(loaded, context),
    import('./app.js'), // while the workers warm up
    decoders.started,
  ]).catch(undo);
  end.push(() => models.close());
  const comparison = new ReplicaComparison({ models, replicas: store.replicas, metrics, logger });
  end.push(() => comparison.close());
  const watch = new PoolWatch({ settings, models, store, metrics, logger });
  end.push(() => watch.close());
  const state = new Lifecycle(models, comparison);
  const reloader = new Reloader(load, models, metrics, logger);
  const dependencies: AppDependencies = {
    settings,
    serving: models,
    metrics,
    logger,
    tracing,
    state,
    keys,
    uploads: new UploadBudget(settings, metrics),
    caller: requireCaller(keys),
    admin: requireAdmin(keys),
    reload: () => reloader.reload(),
    previewReload: () => reloader.preview(),
  };
  const servers: Server[] = [];
  end.push(() => close(servers, settings.drainSeconds));
  servers.push(await listen(createListener(dependencies), settings.port, settings, certificate).catch(undo));
  if (settings.metricsPort !== undefined)
    servers.push(await listen(createMetricsApp(dependencies), settings.metricsPort, settings).catch(undo));
  const address = (server: Server): string =>
    `http${server instanceof SecureServer ? 's' : ''}://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${portOf(server)}`;
  logger.info({ url: address(servers[0]) }, 'listening');
  // First a picture, as readiness asks for it; what follows can wait, and would make it wait.
  const answered = models.current.inference.answers(firstAnswerSeconds);
  end.push(await announce(portOf(servers[0])));
  await answered;
  decoders.startOthers();
  models.current.classes.warmUp();
  comparison.start();
  watch.start();
  let stopping: Promise<void> | null = null;
  const stop = async (graceSeconds: number): Promise<void> => {
    state.draining = true;
    logger.info({ graceSeconds }, 'No longer ready; stopping after the grace period.');
    await new Promise((resolve) => setTimeout(resolve, graceSeconds * 1000));
    for (const step of end.reverse()) await step();
    logger.info('stopped');
  };
  return {
    url: address(servers[0]),
    metricsUrl: `${address(servers.at(-1)!)}/metrics`,
    models,
    decoders,
    dependencies,
    ownKey,
    reload: async () => {
      await reloadCertificate(servers[0], settings, logger);
      return auditReloadBySignal(models.current.version, () => reloader.reload(), logger);
    },
    stop: (graceSeconds = settings.graceSeconds) => (stopping ??= stop(graceSeconds)),
  };
}

/**
 * The store is opened while the model is being read; when either fails, the other is closed again. A store that does not exist yet
 * waits for the model, so that a mistyped bundle leaves no database behind.
 */
async function openBoth(
  loading: Promise<LoadedModel>,
  { registry, versionDays }: Pick<ServerConfiguration, 'registry' | 'versionDays'>,
  logger: Logger,
): Promise<[LoadedModel, ClassStore]> {
  const givenUp = new AbortController();
  const options = { versionMilliseconds: versionDays * 86_400_000 };
  const open = (): Promise<ClassStore> => openStorePatiently(registry, logger, givenUp.signal, options);
  const opening = (async () => {
    if (isMissing(registry)) await loading;
    return open();
  })();
  try {
    return await Promise.all([loading, opening]);
  } catch (error) {
    givenUp.abort();
    await opening.then(
      (store) => store.close(),
      () => undefined,
    );
    throw error;
  }
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
