import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { readServerConfiguration } from '../../../server/read-configuration.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postBytes, postPicture, send, startTestServer } from '../../support/test-server.js';
import { numbered } from '../../support/pictures.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);
const parent = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const traceparent = (flags: '00' | '01'): Record<string, string> => ({
  traceparent: `00-${parent.trace}-${parent.span}-${flags}`,
});

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** As it travels: attributes are a list of keys and typed values. */
interface Sent {
  readonly attributes: readonly {
    readonly key: string;
    readonly value: {
      readonly stringValue?: string;
      readonly intValue?: number;
      readonly doubleValue?: number;
    };
  }[];
}

/** A collector: takes OTLP as JSON, and keeps the spans. */
async function startCollector() {
  const spans: Span[] = [];
  const paths: string[] = [];
  const resources: Record<string, string | number>[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      paths.push(`${request.method} ${request.url}`);
      for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
        resources.push(plain(resource.attributes));
        for (const { spans: sent } of scopeSpans)
          spans.push(...sent.map((span: Sent) => ({ ...span, attributes: plain(span.attributes) })));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, paths, resources };
}

function plain(attributes: Sent['attributes']): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}

const seconds = ({ startTimeUnixNano, endTimeUnixNano }: Span): number =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e9;

/** A server that sends its traces to a collector; stopping it sends what is left. */
async function traced(settings: Record<string, unknown> = {}) {
  const collector = await startCollector();
  const server = await startTestServer({
    bundle: () => bundle,
    settings: { tracesEndpoint: collector.url, ...settings },
  });
  return { collector, server };
}

describe('a request with an endpoint for traces set', () => {
  test("is one span below the caller's, with its stages below it and its id in it", async () => {
    const { collector, server } = await traced();
    const headers = { ...traceparent('01'), 'x-request-id': 'my-request' };
    expect((await postBytes(server.url, picture, '', headers)).status).toBe(200);
    await server.stop(0);
    const root = collector.spans.find(({ name }) => name === 'POST classify')!;
    expect(root).toMatchObject({
      traceId: parent.trace,
      parentSpanId: parent.span,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'unseen.route': 'classify',
        'unseen.request_id': 'my-request',
      },
    });
    const stages = collector.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(stages.map(({ name }) => name).sort()).toEqual(['decode', 'head', 'infer', 'queue', 'upload']);
    for (const stage of stages) {
      expect(stage.traceId).toBe(parent.trace);
      expect(BigInt(stage.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(root.startTimeUnixNano) - 1_000_000n,
      );
      expect(BigInt(stage.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano) + 1_000_000n);
    }
    expect(stages.find(({ name }) => name === 'infer')!.attributes).toEqual({ 'unseen.batch.pictures': 1 });
    expect(collector.paths.every((path) => path === 'POST /v1/traces')).toBe(true);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'unseen' });
    expect(server.log.find((line) => line.includes('my-request'))).toContain(parent.trace);
  });

  test('has the durations that the metrics have', async () => {
    const { collector, server } = await traced();
    const metrics = async () => (await send(`${server.url}/metrics`)).body as string;
    const before = await metrics(); // the picture of the start has no trace
    for (let i = 0; i < 5; i++) await postPicture(server.url, i);
    const after = await metrics();
    await server.stop(0);
    for (const stage of ['upload', 'queue', 'decode', 'infer', 'head']) {
      const sumOf = (page: string): number =>
        Number(page.split(`unseen_stage_duration_seconds_sum{stage="${stage}"} `)[1]?.split('\n')[0] ?? 0);
      const sum = sumOf(after) - sumOf(before);
      const spans = collector.spans.filter(({ name }) => name === stage);
      expect(spans).toHaveLength(5);
      expect(spans.reduce((total, span) => total + seconds(span), 0)).toBeCloseTo(sum, 3);
    }
  });

  test('names its failure, and is marked as failed only when that is our fault', async () => {
    const { collector, server } = await traced();
    await postBytes(server.url, Buffer.from('no picture'));
    await server.stop(0);
    const [root] = collector.spans.filter(({ name }) => name === 'POST classify');
    expect(root.attributes).toMatchObject({
      'error.type': 'image-type-refused',
      'http.response.status_code': 415,
    });
    expect(root.status.code).toBe(0);
  });

  test('shows no class name, no path that was made up, and no probe', async () => {
    const { collector, server } = await traced();
    const [known] = bundle.manifest.classes;
    await send(`${server.url}/classes/${encodeURIComponent(known.name)}`);
    await send(`${server.url}/made-up-path`);
    await send(`${server.url}/healthz`);
    await send(`${server.url}/readyz`);
    await send(`${server.url}/metrics`);
    await server.stop(0);
    expect(collector.spans.map(({ name }) => name).sort()).toEqual(['GET class', 'GET unknown']);
    const sent = JSON.stringify(collector.spans);
    expect(sent).not.toContain(known.name);
    expect(sent).not.toContain('made-up');
  });

  test.each([
    ['the caller decided against it', { headers: traceparent('00'), share: 1, spans: 0 }],
    ['the caller decided for it, whatever the share', { headers: traceparent('01'), share: 0, spans: 1 }],
    ['nobody decided and the share is none', { headers: {}, share: 0, spans: 0 }],
    ['traceparent is nonsense', { headers: { traceparent: 'ff-nonsense' }, share: 1, spans: 1 }],
  ])('is kept or not: %s', async (_, { headers, share, spans }) => {
    const { collector, server } = await traced({ tracesShare: share });
    await send(`${server.url}/attributes`, { headers });
    await server.stop(0);
    expect(collector.spans).toHaveLength(spans);
  });

  test('of a thousand rows makes no thousands of spans', async () => {
    const { collector, server } = await traced();
    const width = bundle.manifest.featureMap.width;
    const { status } = await send(`${server.url}/v2/models/unseen/infer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        inputs: [
          {
            name: 'features',
            datatype: 'FP32',
            shape: [500, width],
            data: Array.from({ length: 500 * width }, (_, i) => (i % 7) / 7),
          },
        ],
      }),
    });
    expect(status).toBe(200);
    await server.stop(0);
    expect(collector.spans.length).toBeGreaterThan(10);
    expect(collector.spans.length).toBeLessThanOrEqual(101);
  });
});

test('a collector that is not there disturbs no request, and is named once in the log', async () => {
  const server = await startTestServer({
    bundle: () => bundle,
    settings: { tracesEndpoint: 'http://user:secret@127.0.0.1:9' },
  });
  for (let i = 0; i < 20; i++) expect((await postPicture(server.url, i)).status).toBe(200);
  await server.stop(0);
  const lines = server.log.filter((line) => line.includes('Traces cannot be sent'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('http://127.0.0.1:9');
  expect(server.log.join('')).not.toContain('secret');
});

test('without an endpoint OpenTelemetry is not even loaded', () => {
  const script = `
    import { createRequire } from 'node:module';
    await import('./dist/server/run.js');
    const loaded = Object.keys(createRequire(process.cwd() + '/x.js').cache);
    console.log(loaded.length > 0, loaded.some((path) => /@opentelemetry.(sdk-trace|exporter)/.test(path)));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said.trim()).toBe('true false');
});

test('an endpoint that is no address is refused by its name', () => {
  for (const bad of ['collector:4318', 'ftp://collector', 'here'])
    expect(() => readServerConfiguration({}, { UNSEEN_TRACES_ENDPOINT: bad })).toThrow(
      /UNSEEN_TRACES_ENDPOINT .*an http or https address is expected/,
    );
  expect(() => readServerConfiguration({ tracesShare: '1.5' }, {})).toThrow(/--traces-share "1.5"/);
});
