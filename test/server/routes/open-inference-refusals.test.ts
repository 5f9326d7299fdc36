import { beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { image, infer, postBinary, withLengths } from '../../support/open-inference.js';
import { numbered } from '../../support/pictures.js';
import { smallFeatureWidth as width, trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
let bundle: Bundle;
let server: TestServer;
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(folder));
  server = await startTestServer({ bundle: () => bundle });
});

describe('what the Open Inference Protocol refuses', () => {
  const feature = (change: object) => ({
    ...{ name: 'features', datatype: 'FP32', shape: [1, width], data: new Array(width).fill(1) },
    ...change,
  });
  test.each([
    ['no JSON', 'picture', 400, /is not JSON/],
    ['no input', { inputs: [] }, 400, /exactly one input/],
    ['an unknown input', { inputs: [{ ...image(['aaaa']), name: 'pixels' }] }, 400, /inputs\/0\/name/],
    ['a wrong datatype', { inputs: [feature({ datatype: 'BYTES' })] }, 400, /datatype FP32/],
    ['a wrong width', { inputs: [feature({ shape: [1, 7] })] }, 400, /\[n, 12\] is expected/],
    ['too few values', { inputs: [feature({ data: [1, 2] })] }, 400, /makes 12 values, there are 2/],
    ['text for numbers', { inputs: [feature({ data: new Array(width).fill('1') })] }, 400, /not a number/],
    ['numbers past 32 bits', { inputs: [feature({ data: new Array(width).fill(1e300) })] }, 400, /finite/],
    ['no rows', { inputs: [feature({ shape: [0, width], data: [] })] }, 400, /from 1 to 1024/],
    ['too many rows', { inputs: [feature({ shape: [1025, width] })] }, 400, /from 1 to 1024/],
    ['too many pictures', { inputs: [image(new Array<string>(17).fill('aaaa'))] }, 400, /from 1 to 16/],
    ['no base64', { inputs: [image(['data:image/png;base64,aaaa'])] }, 400, /base64/],
    ['neither data nor bytes', { inputs: [feature({ data: undefined })] }, 400, /neither data/],
    ['what is no picture', { inputs: [image(['aGVsbG8gd29ybGQ='])] }, 415, /image\[0\]/],
    ['an unknown output', { inputs: [image(['aaaa'])], outputs: [{ name: 'logits' }] }, 400, /outputs\/0/],
    [
      'a bias out of range',
      { inputs: [image(['aaaa'])], parameters: { unseen_bias: 1e9 } },
      400,
      /unseen_bias must/,
    ],
    ['too many classes', { inputs: [image(['aaaa'])], parameters: { top_k: 1001 } }, 400, /top_k/],
  ] as const)('%s', async (_, request, status, message) => {
    const answer = await infer(server.url, request);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(answer.body.error).toMatch(message);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  test('a body with a content coding, as everywhere else', async () => {
    const { status, body } = await send(`${server.url}/v2/models/unseen/infer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: '{}',
    });
    expect([status, body]).toEqual([400, { error: expect.stringContaining('Content-Encoding') as string }]);
  });

  test('bytes that do not fit what was announced', async () => {
    const input = (size: number) => ({
      inputs: [{ name: 'image', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: size } }],
    });
    const good = withLengths(await numbered(1));
    expect((await postBinary(server.url, input(good.length + 1), good)).status).toBe(400);
    const cut = good.subarray(0, -1);
    const { status, json } = await postBinary(server.url, input(cut.length), cut);
    expect(status).toBe(400);
    expect(json.error).toMatch(/reaches past the end/);
    const twice = Buffer.concat([good, good]);
    expect((await postBinary(server.url, input(twice.length), twice)).json.error).toMatch(/there are 2/);
  });

  test('other models, versions, routes and methods, in the protocol’s own form', async () => {
    for (const path of ['models/other', 'models/unseen/versions/1', 'models/unseen/versions/1/ready', 'what'])
      expect(await send(`${server.url}/v2/${path}`)).toMatchObject({
        status: 404,
        body: { error: expect.any(String) as string },
      });
    const wrong = await send(`${server.url}/v2/models/unseen/infer`);
    expect(wrong).toMatchObject({ status: 405, body: { error: expect.any(String) as string } });
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  test('a registry revision that is none, while one that is reached is answered', async () => {
    const status = async (revision: string) => {
      const headers = { 'if-registry-revision': revision };
      const body = JSON.stringify({ inputs: [feature({})] });
      return (await send(`${server.url}/v2/models/unseen/infer`, { method: 'POST', headers, body })).status;
    };
    expect(await status('latest')).toBe(400);
    expect(await status('0')).toBe(200);
  });

  test('a caller without a key, and a body that is too large, before reading it', async () => {
    const guarded = await startTestServer({
      bundle: () => bundle,
      settings: { apiKeys: ['secret-of-the-guests'], bodyMegabytes: 0.01 },
    });
    expect(await infer(guarded.url, '{}')).toMatchObject({
      status: 401,
      body: { error: expect.any(String) as string },
    });
    const large = await send(`${guarded.url}/v2/models/unseen/infer`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret-of-the-guests' },
      body: 'x'.repeat(20_000),
    });
    expect(large.status).toBe(413);
    expect((await send(`${guarded.url}/v2/health/ready`)).status).toBe(200);
  });
});
