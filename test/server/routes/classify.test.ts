import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import request from 'supertest';
import { Classifier } from '../../../core/head/classifier.js';
import { Extractor } from '../../../core/backbone/extractor.js';
import { prepare } from '../../../core/backbone/preprocess.js';
import { createApp } from '../../../server/app.js';
import {
  attributesResponseSchema,
  classifyManyResponseSchema,
  classifyResponseSchema,
  problemSchema,
} from '../../../server/contract/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { hugePng } from '../../../fixtures/flat-pictures.js';
import { numbered, truncatedJpeg } from '../../support/pictures.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postBytes, postPicture, send, startTestServer, testKey } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = await startTestServer({
  bundle: () => bundle,
  settings: { bodyMegabytes: 0.2, picturesPerRequest: 3, pixelMillions: 1 },
});
const { url } = server;
const app = createApp(server.dependencies);

/** As curl -X POST sends it: not even a Content-Length, which every client of Node adds. */
function sendRaw(path: string, headers: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString('utf8')));
    socket.on('end', () => {
      resolve(answer);
    });
    socket.on('error', reject);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`);
  });
}

function form(...files: [string, Uint8Array][]): FormData {
  const data = new FormData();
  for (const [name, bytes] of files) data.append('image', new Blob([bytes]), name);
  return data;
}

test('a body with a content coding is refused with what to do: nothing is unpacked here', async () => {
  const { url } = await startTestServer({ bundle: () => bundle });
  const packed = gzipSync(await numbered(1));
  for (const coding of ['gzip', 'br', 'gzip, gzip', 'GZIP']) {
    const { status, body } = await postBytes(url, packed, '', { 'content-encoding': coding });
    expect([coding, status, body.detail]).toEqual([coding, 400, expect.stringContaining('Content-Encoding')]);
  }
  const plain = await postBytes(url, await numbered(1), '', { 'content-encoding': 'identity' });
  expect(plain.status).toBe(200);
});

describe('one picture', () => {
  test('is answered with what the same network and head give in this process', async () => {
    const backbone = smallBackbone();
    const extractor = await Extractor.open(backbone, { threads: 1, batchSize: 1 });
    const classifier = await Classifier.open(bundle, { threads: 1 });
    for (const number of [1, 2, 3]) {
      const bytes = await numbered(number);
      const features = await extractor.features(await prepare(bytes, 'x', backbone.entry.preprocessing));
      const [expected] = await classifier.classify(features, { topK: 4, explain: true });
      const { status, body } = await postBytes(url, bytes, '?topK=4&explain=true');
      expect(status).toBe(200);
      expect(body.predictions).toEqual(expected.predictions);
      expect(body.explanation).toEqual(JSON.parse(JSON.stringify(expected.explanation)));
    }
  });

  test('has an answer as the contract says, with model version and registry revision', async () => {
    const { body } = await postPicture(url, 5, '?explain=true');
    expect(classifyResponseSchema.parse(body)).toEqual(body);
    expect(body.model).toEqual({ version: bundle.identity, name: 'synthetic' });
    expect(body.registryRevision).toBe(0);
    expect(body.predictions).toHaveLength(5);
  });

  test.each(['jpeg', 'png', 'webp'] as const)('may be a %s', async (format) => {
    const bytes = await sharp(await numbered(3))
      .toFormat(format)
      .toBuffer();
    await request(app).post('/classify').type(`image/${format}`).send(bytes).expect(200);
  });

  test('is recognised by its bytes, whatever type was said', async () => {
    for (const type of ['image/webp', 'image/jpg'])
      expect((await postBytes(url, await numbered(1), '', { 'content-type': type })).status).toBe(200);
  });

  test('probabilities over all classes sum to 1, best first', async () => {
    const { body } = await postPicture(url, 1, '?topK=1000');
    const likelihoods = (body.predictions as { probability: number }[]).map(({ probability }) => probability);
    expect(likelihoods).toHaveLength(bundle.manifest.classes.length);
    expect(likelihoods.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 6);
    expect(likelihoods).toEqual([...likelihoods].sort((a, b) => b - a));
  });

  test('unseenBias moves the balance within its range, and is refused beyond it', async () => {
    const [least, most] = bundle.manifest.head.unseenBiasRange;
    const top = async (bias: number): Promise<boolean> =>
      (await postPicture(url, 1, `?topK=1&unseenBias=${bias}`)).body.predictions[0].seen as boolean;
    expect(await top(least)).toBe(true);
    expect(await top(most)).toBe(false);
    const refused = await postPicture(url, 1, `?unseenBias=${most + 1}`);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].pointer).toBe('/unseenBias');
    expect(refused.body.detail).toContain(String(most));
  });
});

describe('multipart', () => {
  test('with one picture is answered like a raw body', async () => {
    const bytes = await numbered(7);
    const { status, body } = await send(`${url}/classify`, { method: 'POST', body: form(['a.png', bytes]) });
    expect(status).toBe(200);
    expect(classifyResponseSchema.parse(body)).toEqual(body);
    expect(body.predictions).toEqual((await postBytes(url, bytes)).body.predictions);
  });

  test('with several pictures answers each, and a bad one spoils no other', async () => {
    const files: [string, Uint8Array][] = [
      ['first.png', await numbered(1)],
      ['<script>/../b<a>d.jpg', Buffer.from('this is text')],
      ['last.png', await numbered(2)],
    ];
    const { status, body } = await send(`${url}/classify?topK=2`, { method: 'POST', body: form(...files) });
    expect(status).toBe(200);
    expect(classifyManyResponseSchema.parse(body)).toEqual(body);
    const alone = await postPicture(url, 2, '?topK=2');
    expect(body.pictures[2].predictions).toEqual(alone.body.predictions);
    expect(body.pictures[1].problem).toMatchObject({ status: 415, code: 'image-type-refused' });
    expect(body.pictures[1].name).toBe('bad.jpg');
  });

  test.each([
    [
      'too many pictures',
      () => numbered(1).then((bytes) => form(['1', bytes], ['2', bytes], ['3', bytes], ['4', bytes])),
      /at most 3 pictures/,
    ],
    ['no picture at all', () => Promise.resolve(new FormData()), /no picture|cannot be read/],
    [
      'another field',
      () => {
        const data = new FormData();
        data.append('photo', new Blob([Uint8Array.of(1)]), 'x.png');
        return Promise.resolve(data);
      },
      /"photo" is not known/,
    ],
    [
      'text in the field',
      () => {
        const data = new FormData();
        data.append('image', 'http://example.org/cat.jpg');
        return Promise.resolve(data);
      },
      /holds text/,
    ],
  ])('%s is refused with what to change', async (_name, make, message) => {
    const { status, body } = await send(`${url}/classify`, { method: 'POST', body: await make() });
    expect(status).toBe(400);
    expect(problemSchema.parse(body).detail).toMatch(message);
  });

  test('a part that has no end, or no blank line, is refused at once', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="image"; filename="a"';
    for (const body of [`${part}\r\n\r\nabc`, `${part}\r\n--b--\r\n`]) {
      const type = 'multipart/form-data; boundary=b';
      await request(app).post('/classify').set('Content-Type', type).send(body).expect(400);
    }
  });

  test('a part without a name is refused, whatever its length, and the server goes on', async () => {
    const type = 'multipart/form-data; boundary=b';
    for (const value of ['abc', 'a'.repeat(5000)])
      for (const disposition of ['form-data', 'form-data; filename="a"']) {
        const body = `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n--b--\r\n`;
        await request(app).post('/classify').set('Content-Type', type).send(body).expect(400);
      }
  });

  test('a boundary that never ends, or none, is refused', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x'])
      await request(app).post('/classify').set('Content-Type', type).send('--y\r\nnonsense').expect(400);
  });
});

describe('what cannot be served is refused with a problem', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  test.each<[string, () => Promise<Uint8Array>, number, string]>([
    ['SVG', () => Promise.resolve(svg), 415, 'image-type-refused'],
    ['GIF', () => Promise.resolve(Buffer.from('GIF89a..')), 415, 'image-type-refused'],
    ['no bytes at all', () => Promise.resolve(new Uint8Array()), 415, 'image-type-refused'],
    ['a JPEG cut in half', truncatedJpeg, 422, 'image-invalid'],
    ['a picture of 30,000 by 30,000', () => Promise.resolve(hugePng(30_000, 30_000)), 422, 'image-invalid'],
    ['more bytes than allowed', () => Promise.resolve(new Uint8Array(300_000)), 413, 'too-large'],
  ])('%s', async (_name, make, status, code) => {
    const answer = await postBytes(url, await make());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(problemSchema.parse(answer.body)).toMatchObject({ status, code });
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
  });

  test.each([
    ['?topK=0', '/topK'],
    ['?topK=many', '/topK'],
    ['?topK=1&topK=2', '/topK'],
    ['?explain=perhaps', '/explain'],
    ['?unseenBias=NaN', '/unseenBias'],
    ['?colour=red', '/colour'],
  ])('the query %s, with a pointer', async (query, pointer) => {
    const { status, body } = await postPicture(url, 1, query);
    expect(status).toBe(400);
    expect(body.errors[0].pointer).toBe(pointer);
    expect(body.detail).not.toMatch(/Too (small|big)|Invalid input/); // a programmer's words
  });

  test('what is no picture is called that with the default limits, too, and not too large', async () => {
    const { url } = await startTestServer({ bundle: () => bundle });
    const cases: [Buffer, number, string][] = [
      [Buffer.from('GIF89a..'), 415, 'is GIF: only JPEG, PNG and WebP'],
      [Buffer.alloc(0), 415, 'is an empty file'],
      [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 422, 'cut off or damaged'],
    ];
    for (const [bytes, expected, detail] of cases) {
      const { status, body } = await postBytes(url, bytes);
      expect([status, body.detail]).toEqual([expected, expect.stringContaining(detail)]);
    }
  });

  test('a request without a body is told what to send, and not of a form that it never sent', async () => {
    for (const path of ['/classify', '/classes', `/classes/${bundle.manifest.classes[0].name}/examples`])
      for (const type of ['Content-Type: image/jpeg\r\n', '']) {
        const answer = await sendRaw(path, `Authorization: Bearer ${testKey}\r\n${type}`);
        expect(answer).toMatch(/^HTTP\/1.1 400 /);
        expect(answer).toMatch(
          path === '/classes' ? /The body is not JSON/ : /There is no body\. Send the picture as/,
        );
      }
  });

  test('another type, another method, another path', async () => {
    await request(app).post('/classify').type('text/plain').send('hello').expect(415);
    await request(app).post('/classify').expect(415);
    const { headers } = await request(app).get('/classify').expect(405);
    expect(headers.allow).toBe('POST');
    await request(app)
      .get('/nowhere')
      .expect(404)
      .expect('Content-Type', /problem\+json/);
  });
});

test('GET /attributes tells what a vector must look like', async () => {
  const { status, body } = await send(`${url}/attributes`);
  expect(status).toBe(200);
  expect(attributesResponseSchema.parse(body)).toEqual(body);
  expect(body.attributes).toEqual(bundle.manifest.attributes);
});

test('answers carry the headers that keep browsers safe, and the request id that was sent', async () => {
  const { headers } = await postBytes(url, await numbered(1), '', { 'x-request-id': 'abc-1' });
  expect(headers.get('x-request-id')).toBe('abc-1');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-powered-by')).toBeNull();
  const odd = await postBytes(url, await numbered(1), '', { 'x-request-id': 'a b<c>' });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});
