import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../support/small-bundle.js';
import { send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
let server: TestServer;
beforeAll(async () => {
  const { bundle } = await trainSmallBundle(folder);
  server = await startTestServer({ bundle: () => bundle });
});

describe('GET /docs', () => {
  test('is a page that loads everything from this server, and all of it is there', async () => {
    const answer = await send(`${server.url}/docs`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const addresses = [...String(answer.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address,
    );
    expect(addresses).toHaveLength(5);
    for (const address of addresses) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      expect((await fetch(new URL(address, `${server.url}/docs`))).status, address).toBe(200);
    }
  });

  test('allows no script and no style inside the page, and nothing from elsewhere', async () => {
    const answer = await send(`${server.url}/docs`);
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https:|\*/);
    expect(answer.body).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test('what never changes under its address is cached for a year, the page itself is asked for again', async () => {
    const caching = async (path: string) =>
      (await fetch(`${server.url}${path}`)).headers.get('cache-control');
    for (const path of ['/docs/swagger-ui.css?v=1', '/docs/swagger-ui-bundle.js?v=1', '/docs/docs.js?v=1'])
      expect(await caching(path)).toMatch(/max-age=31536000, immutable/);
    expect(await caching('/docs')).toBe('no-cache');
    expect(await caching('/openapi.json')).toBe('no-cache');
  });

  test('of Swagger UI only what the page needs is served', async () => {
    for (const path of [
      'index.html',
      'package.json',
      'swagger-initializer.js',
      '..%2fpackage.json',
      'x/y.js',
    ])
      expect((await send(`${server.url}/docs/${path}`)).status, path).toBe(404);
  });

  test('with a slash behind it leads to the page', async () => {
    const response = await fetch(`${server.url}/docs/`);
    expect(response.url).toBe(`${server.url}/docs`);
    expect(response.status).toBe(200);
  });

  test('other methods are refused', async () => {
    const { status, headers } = await send(`${server.url}/docs`, { method: 'POST' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET');
  });
});
