import { beforeAll, describe, expect, test } from 'vitest';
import { UnseenClient, UnseenProblem, type ClassifyResponse } from '../../client/index.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import {
  attributesResponseSchema,
  classifyManyResponseSchema,
  classifyResponseSchema,
} from '../../server/contract/schemas.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { startTestServer, testKey, type TestServer } from '../support/test-server.js';

const folder = temporaryFolder();
let bundle: Bundle;
let server: TestServer;
let client: UnseenClient;
let picture: Buffer;
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(folder));
  server = await startTestServer({ bundle: () => bundle });
  client = new UnseenClient({ url: server.url, key: testKey });
  picture = await numbered(1);
});

/** Responses of a busy server or a proxy, one after another; records the requests. */
function answering(...answers: { status: number; headers?: Record<string, string>; body?: string }[]) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const fake: typeof fetch = (input, init) => {
    const { status, headers = {}, body = '{}' } = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ url: (input as URL | string).toString(), init });
    return Promise.resolve(new Response(body, { status, headers }));
  };
  return { asked, fetch: fake };
}

/** Not their probabilities: the last digits of those depend on which batch a picture came into. */
function classesOf({ predictions }: Pick<ClassifyResponse, 'predictions'>): string[] {
  return predictions.map((prediction) => prediction.class);
}

const busy = {
  status: 429,
  headers: { 'retry-after': '0' },
  body: JSON.stringify({ code: 'overloaded', detail: 'Try again later.' }),
};
const good = { status: 200, body: JSON.stringify({ predictions: [] }) };

describe('the client, with a server', () => {
  test('classifies a Buffer, a Uint8Array, an ArrayBuffer and a Blob alike', async () => {
    const plain = new Uint8Array(picture);
    const answers = await Promise.all(
      [picture, plain, plain.buffer, new Blob([plain])].map((given) => client.classify(given)),
    );
    for (const answer of answers) {
      expect(classifyResponseSchema.parse(answer)).toEqual(answer);
      expect(classesOf(answer)).toEqual(classesOf(answers[0]));
      expect(answer.predictions).toHaveLength(5);
    }
  });

  test('passes options on', async () => {
    const [, unseenBias] = bundle.manifest.head.unseenBiasRange;
    const answer = await client.classify(picture, { topK: 2, explain: true, unseenBias });
    expect(answer.predictions).toHaveLength(2);
    expect(answer.predictions[0].seen).toBe(false);
    expect(answer.explanation?.classes).toHaveLength(2);
  });

  test('classifies several in order, and names the one that cannot be used', async () => {
    const answer = await client.classifyMany([
      { name: 'first.png', picture },
      { name: 'broken.png', picture: picture.subarray(0, 40) },
      await numbered(2),
    ]);
    expect(classifyManyResponseSchema.parse(answer)).toEqual(answer);
    expect(answer.pictures.map(({ name }) => name)).toEqual(['first.png', 'broken.png', 'picture 3']);
    expect(answer.pictures[1]).toMatchObject({ problem: { code: 'image-invalid' } });
    const first = answer.pictures[0] as { predictions: ClassifyResponse['predictions'] };
    expect(classesOf(first)).toEqual(classesOf(await client.classify(picture)));
  });

  test('a list of one has the shape of a list', async () => {
    const answer = await client.classifyMany([{ name: 'only.png', picture }]);
    expect(classifyManyResponseSchema.parse(answer)).toEqual(answer);
    expect(answer.pictures).toHaveLength(1);
  });

  test('reads attributes and readiness', async () => {
    const answer = await client.attributes();
    expect(attributesResponseSchema.parse(answer)).toEqual(answer);
    expect(await client.ready()).toEqual({
      ready: true,
      reasons: [],
      serving: {
        provider: 'cpu',
        workers: 1,
        workersReady: 1,
        queued: 0,
        queueLimit: 256,
        registryRevision: 0,
      },
    });
  });

  test('an error response becomes an UnseenProblem with all its fields', async () => {
    const problem = await client.classify(picture, { topK: 0 }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(UnseenProblem);
    expect(problem).toMatchObject({
      status: 400,
      code: 'request-invalid',
      errors: [{ pointer: '/topK' }],
      requestId: expect.any(String) as string,
    });
    const text = client.classify(Buffer.from('hello'));
    await expect(text).rejects.toMatchObject({ status: 415, code: 'image-type-refused' });
  });

  test('asks to be answered with at least a revision, which a server that cannot reach it refuses', async () => {
    expect((await client.classify(picture, { atLeastRevision: 0 })).registryRevision).toBe(0);
    expect((await client.classes({ atLeastRevision: 0 })).registryRevision).toBe(0);
    const ahead = { atLeastRevision: 99 };
    const calls = [client.classify(picture, ahead), client.classes(ahead), client.class('class-001', ahead)];
    await Promise.all(
      calls.map((call) => expect(call).rejects.toMatchObject({ status: 412, code: 'precondition-failed' })),
    );
  });

  test('sends its key', async () => {
    const guarded = await startTestServer({
      bundle: () => bundle,
      settings: { apiKeys: ['secret-of-the-guests'] },
    });
    const stranger = new UnseenClient({ url: guarded.url });
    await expect(stranger.attributes()).rejects.toMatchObject({ code: 'unauthenticated' });
    const friend = new UnseenClient({ url: `${guarded.url}/`, key: 'secret-of-the-guests' });
    expect((await friend.attributes()).attributes).not.toHaveLength(0);
  });

  test('a server that is about to stop is not ready, and gives the reason', async () => {
    const leaving = await startTestServer({ bundle: () => bundle });
    const stopped = leaving.stop(1);
    const { ready, reasons } = await new UnseenClient({ url: leaving.url }).ready();
    expect(ready).toBe(false);
    expect(reasons).toHaveLength(1);
    await stopped;
  });
});

describe('the client, when things go wrong', () => {
  const url = 'http://server.test/prefix/';

  test('no server is server-unreachable', async () => {
    const nobody = new UnseenClient({ url: 'http://127.0.0.1:1' });
    await expect(nobody.attributes()).rejects.toMatchObject({
      code: 'server-unreachable',
      status: undefined,
    });
  });

  test('a busy server is asked again as often as allowed, and then its problem is thrown', async () => {
    const soon = answering(busy, busy, good);
    await new UnseenClient({ url, fetch: soon.fetch }).classify(picture);
    expect(soon.asked).toHaveLength(3);
    expect(soon.asked[0].url).toBe('http://server.test/prefix/classify');
    const never = answering(busy);
    const call = new UnseenClient({ url, fetch: never.fetch, retries: 1 }).classify(picture);
    await expect(call).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 0 });
    expect(never.asked).toHaveLength(2);
  });

  test('is never earlier than asked, and gives up at once when that would be too late', async () => {
    const later = answering({ ...busy, headers: { 'retry-after': '1' } }, good);
    const started = performance.now();
    await new UnseenClient({ url, fetch: later.fetch }).attributes();
    expect(performance.now() - started).toBeGreaterThan(990);
    const tooLate = answering({ ...busy, headers: { 'retry-after': '60' } });
    const call = new UnseenClient({ url, fetch: tooLate.fetch, timeoutSeconds: 5 }).attributes();
    await expect(call).rejects.toMatchObject({ code: 'overloaded' });
    expect(tooLate.asked).toHaveLength(1);
  });

  test('a refusal without Retry-After, or of another kind, is not repeated', async () => {
    for (const answer of [
      { ...busy, headers: {} },
      { ...busy, status: 422 },
    ]) {
      const { asked, fetch } = answering(answer);
      await expect(new UnseenClient({ url, fetch }).attributes()).rejects.toBeInstanceOf(UnseenProblem);
      expect(asked).toHaveLength(1);
    }
  });

  test('a response that no Unseen server would send is reported as such', async () => {
    for (const status of [200, 502]) {
      const { fetch } = answering({ status, body: '<html>' });
      const call = new UnseenClient({ url, fetch }).attributes();
      await expect(call).rejects.toMatchObject({
        status,
        message: expect.stringMatching(/Is it an Unseen/) as string,
      });
    }
  });

  test('no answer in time is deadline-exceeded; the caller’s own signal keeps its reason', async () => {
    const silent: typeof fetch = (_input, init) =>
      new Promise((_, reject) => {
        init!.signal!.addEventListener('abort', () => {
          reject(init!.signal!.reason as Error);
        });
      });
    const slow = new UnseenClient({ url, fetch: silent, timeoutSeconds: 0.05 });
    await expect(slow.attributes()).rejects.toMatchObject({ code: 'deadline-exceeded' });
    const patient = new UnseenClient({ url, fetch: silent });
    const stop = new AbortController();
    const call = patient.attributes({ signal: stop.signal });
    stop.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
  });
});
