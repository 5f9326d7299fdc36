/**
 * Requests that are harmless one by one, sent by one caller many at a time: each flood goes for one limit of the server. While it
 * lasts, another caller posts good pictures, which must be answered.
 */
import { Agent, request as httpRequest, type RequestOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LargePicture } from './large-pictures.js';
import { post, type Outcome } from './load.js';
import { sendRaw } from './raw-client.js';

/** The caller that floods; good pictures come from 127.0.0.1. Every address of 127.0.0.0/8 is this machine on Linux. */
const flooder = '127.0.0.2';

interface Flood {
  readonly name: string;
  /** What may be answered, where less than all below 500 will do; a closed connection is none of it. */
  readonly allowed?: readonly number[];
  /** Resolves to the statuses answered when the flood is over; 0 stands for a connection that was closed. */
  readonly run: (url: string, picture: Uint8Array, count: number) => Promise<number[]>;
}

interface FloodReport {
  readonly name: string;
  readonly statuses: readonly number[];
  /** How many of them should not have been answered. */
  readonly wrong: number;
  readonly good: readonly Outcome[];
  /** The most places that were taken in the queue at any scrape. */
  readonly maxQueued: number;
}

interface Sending extends RequestOptions {
  readonly body?: Uint8Array;
  /** Sends the headers and then nothing. */
  readonly silent?: boolean;
}

function send(url: string, { body, silent = false, ...options }: Sending): Promise<number> {
  return new Promise((resolve) => {
    const sent = httpRequest(url, { agent: false, localAddress: flooder, method: 'POST', ...options });
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
      response.on('end', () => sent.destroy());
    });
    sent.on('error', () => {
      resolve(0);
    });
    if (silent) sent.flushHeaders();
    else sent.end(body);
  });
}

const many = (count: number, one: (index: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

function form(picture: Uint8Array, pictures: number): { headers: Record<string, string>; body: Buffer } {
  const part = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'),
    picture,
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([...Array.from({ length: pictures }, () => part), Buffer.from('--x--\r\n')]);
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(body.length) },
    body,
  };
}

const readyRoutes = ['/readyz', '/v2/health/ready', '/v2/models/unseen/ready'];

const floods: readonly Flood[] = [
  {
    name: 'asking for readiness',
    run: (url, _picture, count) =>
      many(2 * count, (i) => send(`${url}${readyRoutes[i % readyRoutes.length]}`, { method: 'GET' })),
  },
  {
    name: 'JSON of 19 MB',
    run: (url, _picture, count) => {
      const body = Buffer.alloc(19_000_000, '[');
      return many(Math.ceil(count / 10), () => send(`${url}/v2/models/unseen/infer`, { body }));
    },
  },
  {
    name: 'JSON of 3.8 MB that takes long to check',
    allowed: [400, 408, 422],
    run: (url, _picture, count) => {
      const names = Array.from({ length: 1_900_000 }, () => 'a').join();
      const long = [
        `{"inputs":[],"parameters":{"classes":"${names}"}}`,
        `{"inputs":[{"name":"image","datatype":"BYTES","shape":[1],"data":["AAAA"]}],"parameters":{"classes":"${names}"}}`,
        `{"inputs":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`,
      ].map((text) => Buffer.from(text));
      return many(Math.ceil(count / 40), (i) =>
        send(`${url}/v2/models/unseen/infer`, { body: long[i % long.length] }),
      );
    },
  },
  {
    name: 'a thousand requests in one packet',
    allowed: [],
    run: async (url, _picture, count) => {
      const request = 'GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
      const packet = { kind: 'pipelined', parts: [Buffer.from(request.repeat(1000))], untilClosed: true };
      for (let i = 0; i < count; i += 40) await sendRaw(url, packet, 5000);
      return []; // closed, after as many answers as were begun
    },
  },
  {
    name: 'silent uploads of 20 MB',
    run: (url, _picture, count) => {
      const headers = { 'content-type': 'image/jpeg', 'content-length': '20000000' };
      return many(count, () => send(`${url}/classify`, { headers, silent: true }));
    },
  },
  {
    name: 'forms of 16 pictures',
    run: (url, picture, count) => {
      const sending = form(picture, 16);
      return many(count, () => send(`${url}/classify`, sending));
    },
  },
];

/** Pictures that are expensive to decode: answered, or refused because each is too large or too many are under way. */
function floodOf(large: readonly LargePicture[]): Flood {
  return {
    name: 'small files that are large pictures',
    allowed: [200, 422, 429],
    run: (url, _picture, count) =>
      many(count, (i) => {
        const { bytes, type } = large[i % large.length];
        return send(`${url}/classify`, { headers: { 'content-type': type }, body: bytes });
      }),
  };
}

interface FloodSettings {
  readonly count: number;
  readonly goodType?: string;
  /** A flood of these, too. */
  readonly large?: readonly LargePicture[];
}

export async function runFloods(
  url: string,
  pictures: readonly Uint8Array[],
  { count, goodType = 'image/jpeg', large = [] }: FloodSettings,
): Promise<FloodReport[]> {
  const reports: FloodReport[] = [];
  for (const { name, run, allowed } of large.length > 0 ? [...floods, floodOf(large)] : floods) {
    const good: Outcome[] = [];
    let maxQueued = 0;
    let isOver = false;
    const postGood = async (): Promise<void> => {
      do {
        good.push(await post(url, pictures[good.length % pictures.length], goodType));
        await sleep(20);
      } while (!isOver);
    };
    const watchQueue = async (): Promise<void> => {
      while (!isOver) {
        maxQueued = Math.max(maxQueued, await queued(url));
        await sleep(20);
      }
    };
    const watching = [postGood(), watchQueue()];
    const statuses = await run(url, pictures[0], count);
    isOver = true;
    await Promise.all(watching);
    const isWrong = (status: number): boolean => (allowed ? !allowed.includes(status) : status >= 500);
    reports.push({ name, statuses, wrong: statuses.filter(isWrong).length, good, maxQueued });
  }
  return reports;
}

const agent = new Agent({ keepAlive: true });

function queued(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/metrics`, { agent }, (response) => {
      let page = '';
      response.on('data', (chunk: Buffer) => (page += chunk.toString()));
      response.on('end', () => {
        resolve(Number(/^unseen_queue_depth (\d+)/m.exec(page)?.[1]));
      });
    })
      .on('error', reject)
      .end();
  });
}

export const countStatuses = (statuses: readonly number[]): string =>
  [...new Set(statuses)]
    .sort((a, b) => a - b)
    .map((status) => `${statuses.filter((other) => other === status).length} × ${status || 'closed'}`)
    .join(', ');
