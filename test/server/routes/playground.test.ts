import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../server/app.js';
import { answerError } from '../../../server/http/errors.js';
import { requestContext } from '../../../server/http/request-context.js';
import { playgroundRoutes } from '../../../server/routes/playground.js';
import { demonstrationModel } from '../../../server/playground/state/demonstration-model.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
const compressed = { 'accept-encoding': 'gzip, deflate, br' };
let server: TestServer;
let html: string;
beforeAll(async () => {
  const { bundle } = await trainSmallBundle(folder);
  server = await startTestServer({ bundle: () => bundle });
  html = await (await fetch(`${server.url}/`)).text();
});

const get = (path: string) => request(createApp(server.dependencies)).get(path).set(compressed);
const addresses = (): string[] =>
  [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, address]) => `/${address}`);
/** As they travel. */
const bytesOf = async (path: string): Promise<number> =>
  Number((await get(path).expect(200)).headers['content-length']);

describe('GET /', () => {
  test('is the page; all that it loads is there, by relative addresses', async () => {
    const answer = await get('/').expect(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\//);
    expect(addresses().filter((address) => /\.(js|css|woff2|svg)$/.test(address))).toHaveLength(4);
    for (const address of addresses()) await get(address).expect(200);
  });

  test('allows nothing from elsewhere, no script or style inside the page, and no text as code', async () => {
    const policy = (await get('/')).headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test('the first load takes less than 80 kB, compressed', async () => {
    const sizes = await Promise.all(['/', ...addresses()].map(bytesOf));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(80_000);
  });

  test('is asked for again each time, and not sent when it is the same', async () => {
    const answer = await get('/');
    expect(answer.headers['cache-control']).toBe('no-cache');
    await get('/').set('If-None-Match', answer.headers.etag).expect(304);
  });

  test('what has its content in its name is cached for ever', async () => {
    for (const address of addresses())
      expect((await get(address)).headers['cache-control'], address).toBe(
        'public, max-age=31536000, immutable',
      );
  });

  test('comes as the browser can take it: Brotli, gzip or plain, all with the same content', async () => {
    const script = addresses().find((address) => address.endsWith('.js'))!;
    const plain = await (
      await fetch(server.url + script, { headers: { 'accept-encoding': 'identity' } })
    ).text();
    for (const encoding of ['br', 'gzip']) {
      const response = await fetch(server.url + script, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('vary')).toContain('Accept-Encoding');
      expect(await response.text()).toBe(plain);
    }
  });

  test('other methods are refused, and what is not there is a problem', async () => {
    const app = createApp(server.dependencies);
    await request(app).post('/').expect(405).expect('Allow', 'GET');
    for (const path of ['/assets/nothing.js', '/assets/', '/assets/..%2findex.html', '/index.html'])
      await request(app)
        .get(path)
        .expect(404)
        .expect('Content-Type', /problem\+json/);
  });

  test('a server whose page was not built says how to build it', async () => {
    const { metrics, logger } = server.dependencies;
    const app = express();
    app.use(requestContext(metrics, logger), playgroundRoutes(join(folder, 'nowhere')), answerError);
    const { body } = await request(app).get('/').expect(404);
    expect(body.detail).toContain('npm run build');
  });
});

test('samples are offered with the model of the demonstration', () => {
  const manifest = JSON.parse(readFileSync('models/demo/manifest.json', 'utf8'));
  expect(manifest.dataset.name).toBe(demonstrationModel);
});
