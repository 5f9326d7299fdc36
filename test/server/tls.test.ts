/** HTTPS: a certificate from files, replaced under load without a failed request. */
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  askOverTls,
  freshAgent as fresh,
  makeCertificate,
  type TestCertificate,
} from '../support/certificate.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { startTestServer, testKey, type TestServer } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const settings = { tlsCertificate: join(folder, 'certificate.pem'), tlsKey: join(folder, 'key.pem') };
function place({ cert, key }: TestCertificate): void {
  writeFileSync(settings.tlsCertificate, cert);
  writeFileSync(settings.tlsKey, key);
}
const first = makeCertificate('first');
const second = makeCertificate('second');
const start = (): Promise<TestServer> => startTestServer({ bundle: () => bundle, settings });

const ask = (url: string, agent: Agent) => askOverTls(url, agent, [first, second]);

test('serves HTTPS, and a new certificate from a reload on, without a failed request', async () => {
  place(first);
  const server = await start();
  expect(server.url).toMatch(/^https:/);
  expect(await ask(`${server.url}/readyz`, fresh())).toEqual({ status: 200, name: 'first' });
  const kept = new Agent({ keepAlive: true, maxSockets: 2 });
  const statuses = new Set<number>();
  let going = true;
  const load = Promise.all(
    [kept, kept, fresh(), fresh()].map(async (agent) => {
      while (going) statuses.add((await ask(`${server.url}/attributes`, agent)).status);
    }),
  );
  place(second);
  await server.reload();
  expect(await ask(`${server.url}/attributes`, fresh())).toEqual({ status: 200, name: 'second' });
  going = false;
  await load;
  expect(statuses).toEqual(new Set([200]));
  kept.destroy();
});

test.each([
  ['is no certificate', { ...second, cert: 'nonsense' }],
  ['belongs to another key', { ...second, key: makeCertificate('third').key }],
])('a new certificate that %s is logged, and the previous one stays', async (_, bad) => {
  place(first);
  const server = await start();
  place(bad);
  await server.reload();
  expect(await ask(`${server.url}/readyz`, fresh())).toEqual({ status: 200, name: 'first' });
  expect(server.log.join('')).toContain('still serving the previous one');
  await expect(start()).rejects.toMatchObject({ code: 'config-invalid' });
});

test('a connection that does not finish its handshake is closed in the time that headers have', async () => {
  place(first);
  const { url } = await startTestServer({
    bundle: () => bundle,
    settings: { ...settings, headerSeconds: 1 },
  });
  const port = Number(new URL(url).port);
  const clientHello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]); // its first bytes
  const open = [Buffer.alloc(0), clientHello].map(async (bytes) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    const started = performance.now();
    await once(socket.resume(), 'close');
    return performance.now() - started;
  });
  for (const milliseconds of await Promise.all(open)) expect(milliseconds).toBeLessThan(10_000);
  expect(await ask(`${url}/readyz`, fresh())).toEqual({ status: 200, name: 'first' });
}, 20_000);

test('a certificate that has expired is served with a warning', async () => {
  place(makeCertificate('old', -2));
  expect((await start()).log.join('')).toContain('The TLS certificate has expired.');
});

test('the command line, and so the client, speaks HTTPS with a server whose authority it is told', async () => {
  place(first);
  const { url } = await start();
  expect((await unseen('classes', 'list', '--url', url, '--key', testKey)).stderr).toContain('self-signed');
  process.env.NODE_EXTRA_CA_CERTS = settings.tlsCertificate;
  const { code, stdout } = await unseen('classes', 'list', '--url', url, '--key', testKey);
  delete process.env.NODE_EXTRA_CA_CERTS;
  expect(code).toBe(0);
  expect(stdout).toContain('class-001');
});
