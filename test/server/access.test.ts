import { describe, expect, test } from 'vitest';
import request from 'supertest';
import { createApp } from '../../server/app.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../support/small-bundle.js';
import { postBytes, send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);
const reload = (headers: Record<string, string> = {}): RequestInit => ({ method: 'POST', headers });

describe('without keys', () => {
  test('this machine may change things; pages of other sites, proxies and forged hosts may not', async () => {
    const { url, dependencies } = await startTestServer({ bundle: () => bundle });
    expect((await send(`${url}/admin/reload`, reload())).status).toBe(200);
    expect((await send(`${url}/admin/reload`, reload({ origin: url }))).status).toBe(200);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'x-forwarded-for': '10.0.0.9' },
      { forwarded: 'for=10.0.0.9' },
    ] as Record<string, string>[])
      expect((await send(`${url}/admin/reload`, reload(headers))).status).toBe(403);
    await request(createApp(dependencies)).post('/admin/reload').set('Host', 'evil.example').expect(403);
  });
});

describe('with keys', () => {
  test('changes need an admin key, reading an API or admin key; both headers work', async () => {
    const settings = { adminKeys: ['boss-1', 'boss-2'], apiKeys: ['guest'] };
    const { url } = await startTestServer({ bundle: () => bundle, settings });
    const missing = await send(`${url}/admin/reload`, reload());
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect((await send(`${url}/admin/reload`, reload({ authorization: 'Bearer guest' }))).status).toBe(403);
    expect((await send(`${url}/admin/reload`, reload({ authorization: 'Bearer boss-2' }))).status).toBe(200);
    expect((await send(`${url}/admin/reload`, reload({ 'x-api-key': 'boss-1' }))).status).toBe(200);
    expect((await postBytes(url, picture)).status).toBe(401);
    expect((await postBytes(url, picture, '', { 'x-api-key': 'wrong' })).status).toBe(403);
    expect((await postBytes(url, picture, '', { 'x-api-key': 'guest' })).status).toBe(200);
    expect((await postBytes(url, picture, '', { 'x-api-key': 'boss-1' })).status).toBe(200);
    expect((await send(`${url}/readyz`)).status).toBe(200); // probes carry no keys
  });

  test('no key ever reaches the log', async () => {
    const settings = { adminKeys: ['boss-key-1'], apiKeys: ['guest-key-1'], logLevel: 'trace' as const };
    const { url, log } = await startTestServer({ bundle: () => bundle, settings });
    await postBytes(url, picture, '', { 'x-api-key': 'guest-key-1', authorization: 'Bearer boss-key-1' });
    await send(`${url}/admin/reload`, reload({ authorization: 'Bearer boss-key-1' }));
    expect(log.length).toBeGreaterThan(2);
    expect(log.join('')).not.toMatch(/boss-key-1|guest-key-1/);
  });
});

describe('by configuration only', () => {
  test('other origins are let in when named, and not otherwise', async () => {
    const headers = { origin: 'https://lab.example' };
    const closed = await startTestServer({ bundle: () => bundle });
    expect(
      (await postBytes(closed.url, picture, '', headers)).headers.get('access-control-allow-origin'),
    ).toBeNull();
    const settings = { corsOrigins: ['https://lab.example'] };
    const open = await startTestServer({ bundle: () => bundle, settings });
    const answer = await postBytes(open.url, picture, '', headers);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://lab.example');
    const stranger = await postBytes(open.url, picture, '', { origin: 'https://other.example' });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a caller who asks too often is told to wait; probes are not', async () => {
    const { url } = await startTestServer({ bundle: () => bundle, settings: { requestsPerMinute: 3 } });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await send(`${url}/attributes`)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await send(`${url}/attributes`);
    expect(refused.body.code).toBe('rate-limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(`${url}/healthz`)).status).toBe(200);
  });
});
