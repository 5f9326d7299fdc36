/**
 * Traces through OpenTelemetry, as OTLP (JSON) over HTTP: one span for a request, below the caller's if it sent
 * `traceparent`, and one below that for each stage. Loaded only when an endpoint is set: see tracing.ts.
 *
 * Spans are made when the request is over, from times that were measured anyway, and leave in batches behind its back. A
 * collector that is away costs spans (2048 wait at most), never a request.
 */
import { randomUUID } from 'node:crypto';
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { programVersion } from '../contract/version.js';
import type { Logger } from './logger.js';
import type { StageTime, TracedRequest, Tracing } from './tracing.js';

const exportMilliseconds = 5_000;

export class OpenTelemetry implements Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer;
  private readonly propagator = new W3CTraceContextPropagator();

  constructor(endpoint: string, share: number, logger: Logger) {
    const resource = resourceFromAttributes({
      'service.name': 'unseen',
      'service.version': programVersion,
      'service.instance.id': randomUUID(),
    });
    const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: exportMilliseconds });
    this.provider = new TracerProvider({
      // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME win, as operators expect.
      resource: resource.merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanProcessors: [new BatchSpanProcessor({ exporter: loggingFailures(exporter, endpoint, logger) })],
    });
    this.tracer = this.provider.getTracer('unseen', programVersion);
  }

  record(request: TracedRequest): string | undefined {
    const { id, headers, route, method, status, startedAt, seconds, code, stages } = request;
    const wall = Date.now() - performance.now(); // computed each time: the clock of a long-lived process is set right now and then
    const attributes: Attributes = {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.response.status_code': status,
      'unseen.route': route,
      'unseen.request_id': id,
      ...(status >= 400 && { 'error.type': code ?? String(status) }),
    };
    const span = this.tracer.startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, startTime: wall + startedAt, attributes },
      this.propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    );
    if (!span.isRecording()) return undefined;
    const below = trace.setSpan(ROOT_CONTEXT, span);
    for (const stage of stages) this.recordStage(stage, wall, below);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(wall + startedAt + 1000 * seconds);
    return span.spanContext().traceId;
  }

  async close(): Promise<void> {
    const limit = new Promise((resolve) => setTimeout(resolve, exportMilliseconds).unref());
    await Promise.race([this.provider.shutdown().catch(() => undefined), limit]);
  }

  private recordStage(
    { stage, startedAt, seconds, pictures }: StageTime,
    wall: number,
    below: Context,
  ): void {
    const attributes: Attributes = pictures === undefined ? {} : { 'unseen.batch.pictures': pictures };
    this.tracer
      .startSpan(stage, { startTime: wall + startedAt, attributes }, below)
      .end(wall + startedAt + 1000 * seconds);
  }
}

/** As OTLP says: a bare address is that of the collector, and traces have their path there. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

/** One line when spans begin to get lost, and one when they no longer are. */
function loggingFailures(exporter: SpanExporter, endpoint: string, logger: Logger): SpanExporter {
  let failing = false;
  const collector = new URL(endpoint).origin; // an address may hold a password
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing)
          logger.warn({ err: result.error, collector }, 'Traces cannot be sent and are dropped.');
        if (!failed && failing) logger.info({ collector }, 'Traces are sent again.');
        failing = failed;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
