import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, sendAsIs as send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);
const reload = (headers: Record<string, string> = {}): RequestInit => ({ method: 'POST', headers });
const boss = 'boss-key-of-the-tests-1';
const secondBoss = 'boss-key-of-the-tests-2';
const guest = 'guest-key-of-the-tests';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** fetch does not let its caller choose the Host. */
function asked(url: string, host: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode!, text });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('changes', () => {
  test('need a key from everybody: this machine, its own pages, and whatever a proxy forwards', async () => {
    const { url } = await startTestServer({ bundle: () => bundle });
    for (const headers of [
      {}, // also what a plain nginx in front makes of anybody's request
      { origin: url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'x-forwarded-for': '10.0.0.9' },
      { forwarded: 'for=10.0.0.9' },
    ] as Record<string, string>[])
      expect((await send(`${url}/admin/reload`, reload(headers))).status).toBe(401);
    for (const [path, method] of [
      ['/classes', 'POST'],
      ['/classes?dryRun=true', 'POST'],
      ['/classes/class-001', 'PUT'],
      ['/classes/class-001', 'DELETE'],
    ])
      expect((await send(url + path, { method })).status, `${method} ${path}`).toBe(401);
  });
});

describe('with keys', () => {
  test('changes need an admin key, reading an API or admin key; both headers work', async () => {
    const settings = { adminKeys: [boss, `ann:${secondBoss}`], apiKeys: [guest] };
    const { url } = await startTestServer({ bundle: () => bundle, settings });
    const missing = await send(`${url}/admin/reload`, reload());
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect((await send(`${url}/admin/reload`, reload(bearer(guest)))).status).toBe(403);
    expect((await send(`${url}/admin/reload`, reload(bearer(secondBoss)))).status).toBe(200);
    expect((await send(`${url}/admin/reload`, reload({ 'x-api-key': boss }))).status).toBe(200);
    expect((await postBytes(url, picture)).status).toBe(401);
    expect((await postBytes(url, picture, '', { 'x-api-key': 'wrong' })).status).toBe(403);
    expect((await postBytes(url, picture, '', { 'x-api-key': guest })).status).toBe(200);
    expect((await postBytes(url, picture, '', { 'x-api-key': boss })).status).toBe(200);
    expect((await send(`${url}/readyz`)).status).toBe(200); // probes carry no keys
  });

  test('a key that may only read lists classes, and classifies nothing; its name is never a key', async () => {
    const reader = 'reader-key-of-the-tests';
    const settings = { adminKeys: [boss], apiKeys: [`shop:${guest}`, `viewer:reading:${reader}`] };
    const { url } = await startTestServer({ bundle: () => bundle, settings });
    for (const path of ['/classes', '/attributes', '/v2/models/unseen'])
      expect((await send(url + path, { headers: bearer(reader) })).status, path).toBe(200);
    const refused = await postBytes(url, picture, '', bearer(reader));
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe(
      'The key "viewer" has the role reading; this needs the role classifying.',
    );
    expect((await postBytes(url, picture, '', bearer(guest))).status).toBe(200);
    for (const wrong of ['viewer', `viewer:reading:${reader}`, `shop:${guest}`])
      expect((await postBytes(url, picture, '', bearer(wrong))).status).toBe(403);
  });

  test('a key may be configured by its hash, which is not a key itself', async () => {
    const hash = `sha256=${createHash('sha256').update(boss).digest('hex')}`;
    const settings = { adminKeys: [`ann:${hash}`] };
    const { url } = await startTestServer({ bundle: () => bundle, settings });
    expect((await send(`${url}/admin/reload`, reload(bearer(boss)))).status).toBe(200);
    expect((await send(`${url}/admin/reload`, reload(bearer(hash)))).status).toBe(403);
  });

  test('no key ever reaches the log; the names of keys do', async () => {
    const settings = {
      adminKeys: [`ann:${boss}`],
      apiKeys: [`shop:${guest}`],
      logLevel: 'trace' as const,
    };
    const { url, log } = await startTestServer({ bundle: () => bundle, settings });
    await postBytes(url, picture, '', { 'x-api-key': guest, ...bearer(boss) });
    await send(`${url}/admin/reload`, reload(bearer(boss)));
    await postBytes(url, picture, '', bearer(guest));
    expect(log.length).toBeGreaterThan(2);
    expect(log.join('')).not.toContain(boss);
    expect(log.join('')).not.toContain(guest);
    await expect.poll(() => log.join('')).toMatch(/"route":"classify".*"who":"shop"/);
  });
});

describe('host names', () => {
  test('on loopback another name than this machine’s is refused, whatever is read; probes are answered', async () => {
    const { url } = await startTestServer({ bundle: () => bundle });
    for (const path of ['/classes', '/attributes', '/metrics', '/', '/openapi.json']) {
      const { status, text } = await asked(url + path, 'rebound.example:8080');
      expect(status, path).toBe(403);
      expect(text).toContain('--allowed-hosts');
    }
    expect((await asked(`${url}/healthz`, 'rebound.example')).status).toBe(200);
    for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1', '127.9.9.9:80', '[::1]:8080'])
      expect((await asked(`${url}/attributes`, host)).status, host).toBe(200);
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:127.0.0.1'])
      expect((await asked(`${url}/attributes`, host)).status, host).toBe(403);
  });

  test('two names at once are refused: a proxy in front may go by the other one', async () => {
    const { url } = await startTestServer({ bundle: () => bundle });
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET /classes HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    const answer = (await socket.setEncoding('utf8').toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*more than one Host/);
  });

  test('names can be allowed, one by one or all; elsewhere than on loopback all are', async () => {
    const status = async (settings: object) => {
      const { url } = await startTestServer({ bundle: () => bundle, settings });
      return (await asked(`${url.replace('0.0.0.0', '127.0.0.1')}/attributes`, 'birds.example:80')).status;
    };
    expect(await status({ allowedHosts: ['Birds.example'] })).toBe(200);
    expect(await status({ allowedHosts: ['*'] })).toBe(200);
    expect(await status({ allowedHosts: ['other.example'] })).toBe(403);
    expect(await status({ host: '0.0.0.0' })).toBe(200);
    expect(await status({ host: '0.0.0.0', allowedHosts: ['other.example'] })).toBe(403);
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

  test('each key has a limit of its own behind one address, and made-up keys share the one of the address', async () => {
    const settings = { requestsPerMinute: 2, adminKeys: [boss], apiKeys: [`shop:${guest}`] };
    const { url } = await startTestServer({ bundle: () => bundle, settings });
    const ask = async (key: string) => (await send(`${url}/attributes`, { headers: bearer(key) })).status;
    expect([await ask(guest), await ask(guest), await ask(guest)]).toEqual([200, 200, 429]);
    expect([await ask(boss), await ask(boss), await ask(boss)]).toEqual([200, 200, 429]);
    expect([await ask('made-up-1'), await ask('made-up-2'), await ask('made-up-3')]).toEqual([403, 403, 429]);
  });
});
