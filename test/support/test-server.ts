import { afterAll } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { silent } from '../../core/progress.js';
import { serverConfigurationSchema, type ServerConfiguration } from '../../server/configuration.js';
import { createLogger } from '../../server/observability/logger.js';
import { startServer, type RunningServer } from '../../server/run.js';
import { numbered } from './pictures.js';
import { smallBackbone } from './small-backbone.js';

export interface TestServer extends RunningServer {
  /** What was logged, line by line. */
  readonly log: string[];
}

export interface TestServerOptions {
  readonly settings?: Partial<ServerConfiguration>;
  /** Asked at every (re)load. */
  readonly bundle: () => Bundle;
}

/** A real server on a free port, with a small network and a small bundle; it ends with the test file. */
export async function startTestServer({ settings = {}, bundle }: TestServerOptions): Promise<TestServer> {
  const log: string[] = [];
  const all = serverConfigurationSchema.parse({
    port: 0,
    threads: 1,
    registry: 'sqlite::memory:',
    graceSeconds: 0,
    ...settings,
  });
  const server = await startServer(all, {
    watcher: silent,
    logger: createLogger(all, { write: (line) => void log.push(line) }),
    load: () => Promise.resolve({ bundle: bundle(), backbone: smallBackbone() }),
  });
  afterAll(() => server.stop(0));
  return { ...server, log };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // The tests look into answers of many shapes; the contract's own tests hold these against its schemas.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export async function send(url: string, init?: RequestInit): Promise<Answered> {
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
