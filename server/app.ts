/** Wires the HTTP side; does no I/O by itself. What comes first matters: see the comments. */
import cors from 'cors';
import { parse as parseQuery } from 'node:querystring';
import express, { type Express } from 'express';
import type { RequestListener } from 'node:http';
import helmet from 'helmet';
import { allowedHosts } from './http/allowed-hosts.js';
import { answerError, noSuchRoute } from './http/errors.js';
import type { KeyRing } from './http/key-ring.js';
import { identify } from './http/keys.js';
import { limitRate } from './http/rate-limit.js';
import { refuseEarly } from './http/refuse-early.js';
import { requestContext, type PlainHandler } from './http/request-context.js';
import type { Logger } from './observability/logger.js';
import type { Tracing } from './observability/tracing.js';
import { adaptationRoutes } from './routes/adaptations.js';
import { attributesRoute } from './routes/attributes.js';
import { classExampleRoutes } from './routes/class-examples.js';
import { groupRoutes } from './routes/groups.js';
import { importRoute } from './routes/class-import.js';
import { storedExamplesRoute } from './routes/stored-examples.js';
import { classVersionRoutes } from './routes/class-versions.js';
import { classRoutes } from './routes/classes.js';
import { classifyRoute } from './routes/classify.js';
import { contractRoutes } from './routes/contract.js';
import type { RouteDependencies, ServerState } from './routes/dependencies.js';
import { openInferenceRoutes, openInferenceStateRoutes } from './routes/open-inference.js';
import { playgroundRoutes } from './routes/playground.js';
import { poolDiscoveryRoutes } from './routes/pool-discovery.js';
import { poolRoutes } from './routes/pools.js';
import { metricsRoute, reloadRoute, stateRoutes } from './routes/operations.js';

export interface AppDependencies extends RouteDependencies {
  readonly logger: Logger;
  readonly keys: KeyRing;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
}

/** Everything, with what happens before Express. */
export function createListener(dependencies: AppDependencies): RequestListener {
  const { settings, serving, keys } = dependencies;
  return refuseEarly(
    { serving, keys, settings, first: firstHandlers(dependencies) },
    createApp(dependencies),
  );
}

export function createApp(dependencies: AppDependencies): Express {
  const { settings, metrics, logger, keys } = dependencies;
  const app = bareApp(firstHandlers(dependencies));
  app.use(identify(keys));
  app.use(helmet(security));
  app.set('trust proxy', settings.trustProxy);
  // Probes and metrics come before the rate limit: an orchestrator must never be told to come back later.
  app.use(stateRoutes(dependencies));
  app.use(openInferenceStateRoutes(dependencies));
  const onlyAllowedHosts = allowedHosts(settings);
  if (onlyAllowedHosts) app.use(onlyAllowedHosts);
  if (settings.metricsPort === undefined) app.use(metricsRoute({ metrics }));
  if (settings.requestsPerMinute > 0) app.use(limitRate(settings.requestsPerMinute, metrics));
  app.use(classifyRoute(dependencies));
  app.use(attributesRoute(dependencies));
  app.use(classRoutes(dependencies));
  app.use(groupRoutes(dependencies));
  app.use(classExampleRoutes(dependencies));
  app.use(classVersionRoutes(dependencies));
  app.use(poolRoutes(dependencies));
  app.use(poolDiscoveryRoutes(dependencies));
  app.use(adaptationRoutes(dependencies));
  app.use(importRoute(dependencies));
  app.use(storedExamplesRoute(dependencies));
  app.use(reloadRoute(dependencies));
  app.use(openInferenceRoutes(dependencies));
  app.use(contractRoutes(dependencies));
  app.use(playgroundRoutes());
  app.use(noSuchRoute);
  app.use(answerError);
  logger.debug({ settings: { ...settings, registry: undefined, tracesEndpoint: undefined } }, 'wired');
  return app;
}

/** The metrics alone, for a port that the outside does not see. */
export function createMetricsApp(
  dependencies: Pick<AppDependencies, 'metrics' | 'logger' | 'state'>,
): Express {
  const app = bareApp(firstHandlers(dependencies));
  app.use(helmet(security));
  app.use(metricsRoute(dependencies));
  app.use(noSuchRoute);
  app.use(answerError);
  return app;
}

const security = { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } };

function bareApp(first: readonly PlainHandler[]): Express {
  const app = express();
  app.disable('x-powered-by');
  // The simple parser by itself drops what comes after a thousand parameters; the size of a header is limit enough.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  app.set('etag', false); // answers are computed: hashing them buys nothing
  app.use(...first);
  return app;
}

type FirstDependencies = Pick<AppDependencies, 'metrics' | 'logger' | 'state'> &
  Partial<Pick<AppDependencies, 'tracing' | 'settings'>>;

/** What every request goes through, whether or not it gets to Express. */
function firstHandlers({ metrics, logger, state, tracing, settings }: FirstDependencies): PlainHandler[] {
  const first = [requestContext(metrics, logger, tracing), closeWhenDraining(state)];
  const origins = settings?.corsOrigins ?? [];
  return origins.length > 0 ? [...first, crossOrigin(origins)] : first;
}

/**
 * About to stop, connections are given up with the answer that goes out on them. One that is kept would be closed later, at
 * the very moment, perhaps, when a balancer sends the next request into it.
 */
function closeWhenDraining(state: ServerState): PlainHandler {
  return (_request, response, next) => {
    if (state.draining) response.setHeader('Connection', 'close');
    next();
  };
}

function crossOrigin(origins: readonly string[]): PlainHandler {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['ETag', 'Location', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
}
