/** JSON is parsed on the event loop, so it has a limit of its own, whatever follows it in the body. */
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { image, infer, postBinary, withLengths } from '../../support/open-inference.js';
import { numbered } from '../../support/pictures.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { startTestServer } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = await startTestServer({ bundle: () => bundle });
const picture = await numbered(1);

/** Sends the headers and nothing else; hears what is answered to them alone. */
function announce(
  headers: Record<string, string | number>,
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${server.url}/v2/models/unseen/infer`, {
      method: 'POST',
      agent: false,
      headers,
    });
    sent.on('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode, body });
        sent.destroy();
      });
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

describe('JSON of an inference request', () => {
  test('that is too long is answered 413 from its headers, before any of it is sent', async () => {
    const answer = await announce({ 'content-length': 19_000_000 });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatch(/At most 4 MB of JSON.*POST \/classify/);
  });

  test('in front of bytes has the same limit', async () => {
    const headers = { 'content-length': 19_000_000, 'inference-header-content-length': 18_000_000 };
    expect((await announce(headers)).status).toBe(413);
  });

  test('of unknown length is ended when it passes the limit', async () => {
    const { status } = await new Promise<{ status: number | undefined }>((resolve, reject) => {
      const sent = httpRequest(`${server.url}/v2/models/unseen/infer`, { method: 'POST', agent: false });
      sent.on('response', ({ statusCode }) => {
        resolve({ status: statusCode });
        sent.destroy();
      });
      sent.on('error', reject);
      for (let i = 0; i < 12; i++) sent.write(Buffer.alloc(500_000, ' ')); // chunked, and never ended
    });
    expect(status).toBe(413);
  });

  test('whose length is none is refused before the body is read', async () => {
    for (const length of ['-1', 'x', '1e3'])
      expect(
        (await announce({ 'content-length': 100, 'inference-header-content-length': length })).status,
      ).toBe(400);
  });

  test('may hold pictures of some megabytes in base64', async () => {
    const large = Buffer.concat([picture, Buffer.alloc(2_900_000)]); // PNG readers stop at its end
    expect((await infer(server.url, { inputs: [image([large.toString('base64')])] })).status).toBe(200);
  });
});

test('bytes behind the JSON keep the limit of a body', async () => {
  const large = withLengths(Buffer.concat([picture, Buffer.alloc(15_000_000)]));
  const json = {
    inputs: [
      { name: 'image', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: large.length } },
    ],
  };
  expect((await postBinary(server.url, json, large)).status).toBe(200);
  const headers = { 'content-length': 21_000_000, 'inference-header-content-length': 100 };
  expect((await announce(headers)).status).toBe(413);
});

describe('a request within the limit of size that would take long to check', () => {
  /** How long the server answered nobody while it looked at the request. */
  async function held(request: string): Promise<{ status: number; error: string; milliseconds: number }> {
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const { status, body } = await infer(server.url, request);
    await new Promise((resolve) => setTimeout(resolve, 10));
    clearInterval(beat);
    return { status, error: body.error, milliseconds: longest };
  }
  const input = JSON.stringify(image([picture.toString('base64')]));
  const many = (value: string, count: number): string => Array.from({ length: count }, () => value).join(',');

  test.each([
    ['inputs', `{"inputs":[${many('{}', 1_200_000)}]}`, /more than 5000 lists/],
    [
      'dimensions',
      `{"inputs":[{"name":"image","datatype":"BYTES","shape":[${many('1', 1_800_000)}]}]}`,
      /more than 50000/,
    ],
    ['outputs', `{"inputs":[${input}],"outputs":[${many('{}', 1_200_000)}]}`, /more than 5000 lists/],
    [
      'parameters',
      `{"inputs":[${input}],"parameters":{"classes":[${many('"a"', 900_000)}]}}`,
      /more than 50000 texts/,
    ],
    [
      'names with commas',
      `{"inputs":[${input}],"parameters":{"classes":"${many('a', 1_900_000)}"}}`,
      /at most 2000 names/,
    ],
    [
      'unknown names',
      `{"inputs":[${input}],"parameters":{"classes":[${many('"abcdefghijklmnopqrst"', 40_000)}]}}`,
      /and many more/,
    ],
    [
      'named values',
      `{"inputs":[${input}],"parameters":{${Array.from({ length: 300_000 }, (_, i) => `"${i}":1`).join(',')}}}`,
      /more than 1000 named values/,
    ],
    ['nesting', `{"inputs":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`, /16 lists and objects deep/],
  ])('by its %s is refused by counting, and holds nobody up', async (_what, request, expected) => {
    const { status, error, milliseconds } = await held(request);
    expect([status, error]).toEqual([status === 422 ? 422 : 400, expect.stringMatching(expected)]);
    expect(milliseconds).toBeLessThan(1000);
  });
});
