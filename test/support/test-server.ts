import type { Backbone } from '../../core/backbone/backbone.js';
import { serverKey } from '../../fixtures/server-key.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { silent } from '../../core/progress.js';
import { serverConfigurationSchema, type ServerConfiguration } from '../../server/configuration.js';
import { createLogger } from '../../server/observability/logger.js';
import { startServer, type RunningServer } from '../../server/run.js';
import { numbered } from './pictures.js';
import { atEndOfFile } from './runner/end-of-file.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';

export interface TestServer extends RunningServer {
  /** What was logged, line by line. */
  readonly log: string[];
}

interface TestServerOptions {
  readonly settings?: Partial<ServerConfiguration>;
  /** Asked at every (re)load. */
  readonly bundle: () => Bundle;
  /** Asked at every (re)load, too. */
  readonly backbone?: () => Backbone | Promise<Backbone>;
}

/** With which `send` makes changes; servers of tests know it unless a test configures admin keys of its own. */
export const testKey = serverKey;

/** A real server on a free port, with a small network and a small bundle; it ends with the test file. */
export async function startTestServer({
  settings = {},
  bundle,
  backbone = smallBackbone,
}: TestServerOptions): Promise<TestServer> {
  const log: string[] = [];
  const all = serverConfigurationSchema.parse({
    port: 0,
    threads: 1,
    registry: 'sqlite::memory:',
    graceSeconds: 0,
    adminKeys: [testKey],
    ...settings,
  });
  const server = await startServer(all, {
    watcher: silent,
    logger: createLogger(all, { write: (line) => void log.push(line) }),
    load: async () => ({ bundle: bundle(), backbone: await backbone() }),
  });
  atEndOfFile(() => server.stop(0));
  return { ...server, log };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // The tests look into answers of many shapes; the contract's own tests hold these against its schemas.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Changes are sent with `testKey`, as every change needs a key; unless the request brings one. */
export function send(url: string, init: RequestInit = {}): Promise<Answered> {
  const headers = new Headers(init.headers);
  const isChange =
    (init.method ?? 'GET') !== 'GET' &&
    /^\/(classes|groups|admin|pools|adaptations)\b/.test(new URL(url).pathname);
  if (isChange && !headers.has('authorization') && !headers.has('x-api-key'))
    headers.set('authorization', `Bearer ${testKey}`);
  return sendAsIs(url, { ...init, headers });
}

export async function sendAsIs(url: string, init?: RequestInit): Promise<Answered> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

/** A picture of its own for every number, posted as it is. */
export async function postPicture(url: string, number = 1, query = ''): Promise<Answered> {
  return postBytes(url, await numbered(number), query);
}

export function postBytes(
  url: string,
  bytes: Uint8Array,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answered> {
  return send(`${url}/classify${query}`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', ...headers },
    body: bytes as Uint8Array<ArrayBuffer>,
  });
}
