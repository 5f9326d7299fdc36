/**
 * Traces, as the server knows them: requests with the stages that they went through, recorded when they are over. Without an
 * endpoint nothing is kept, and OpenTelemetry is not even loaded.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from './logger.js';
import type { Stage } from './metrics.js';

export interface StageTime {
  readonly stage: Stage;
  readonly startedAt: number; // as performance.now()
  readonly seconds: number;
  /** That ran together. */
  readonly pictures?: number;
}

export type StageListener = (time: StageTime) => void;

export interface TracedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly startedAt: number; // as performance.now()
  readonly seconds: number;
  /** Of the failure that it was answered with. */
  readonly code: string | undefined;
  readonly stages: readonly StageTime[];
}

export interface Tracing {
  /** Answers the id of the trace; undefined when it is not one of those that are kept. Never throws, never waits. */
  record(request: TracedRequest): string | undefined;
  /** Sends what is left, within its own time limit. */
  close(): Promise<void>;
}

/** A request of a thousand rows must not make thousands of spans: what the first ones show, the others would repeat. */
const maxStages = 100;

export function stageList(list: StageTime[]): StageListener {
  return (time) => {
    if (list.length < maxStages) list.push(time);
  };
}

export async function openTracing(
  { tracesEndpoint, tracesShare }: Pick<ServerConfiguration, 'tracesEndpoint' | 'tracesShare'>,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (tracesEndpoint === undefined) return undefined;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  return new OpenTelemetry(tracesEndpoint, tracesShare, logger);
}
