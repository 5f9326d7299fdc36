import type { RequestHandler } from 'express';
import type { ServerConfiguration } from '../configuration.js';
import type { UploadBudget } from '../http/upload-budget.js';
import type { Serving } from '../model/contract.js';
import type { ReloadPreview } from '../model/reload.js';
import type { Metrics } from '../observability/metrics.js';

/** What routes are built from; nothing here does I/O by being made. */
export interface RouteDependencies {
  readonly settings: ServerConfiguration;
  readonly serving: Serving;
  readonly metrics: Metrics;
  readonly uploads: UploadBudget;
  /** Lets through who may classify and read. */
  readonly caller: RequestHandler;
  /** Lets through who may change things. */
  readonly admin: RequestHandler;
  readonly state: ServerState;
  /** Reloads the bundle; answers whether another one serves now. */
  readonly reload: () => Promise<{ readonly version: string; readonly changed: boolean }>;
  /** What a reload would do, without doing it. */
  readonly previewReload: () => Promise<ReloadPreview>;
}

export interface ServerState {
  /** About to stop. */
  readonly draining: boolean;
  /** Reasons why this server should be restarted; empty when it is alive. */
  alive(): readonly string[];
  /** Reasons why no requests should be sent here; empty when it is ready. */
  ready(): Promise<readonly string[]>;
  /** What does not work although pictures are answered. */
  degraded(): readonly string[];
}
