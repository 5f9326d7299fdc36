/** `unseen serve` as it is deployed: the built program, the demonstration bundle, drawn flags over real HTTP, signals. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { isCached } from '../../core/backbone/backbone.js';
import { findEntry, loadCatalogue } from '../../core/backbone/catalogue.js';
import { Random } from '../../core/random.js';
import { attributesOf } from '../../demo/flags/attributes.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { newcomerFlag } from '../../demo/flags/newcomer.js';
import { renderFlag } from '../../demo/flags/render.js';
import { askOverTls, freshAgent, makeCertificate, type TestCertificate } from '../support/certificate.js';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { send } from '../support/test-server.js';

const folder = temporaryFolder();
const pulled = await unseen('backbone', 'pull', 'resnet50-imagenet');
const catalogue = loadCatalogue();
const available = isCached(catalogue, findEntry(catalogue, 'resnet50-imagenet'));
if (!available && pulled.code !== 7) throw new Error(pulled.stderr);

async function serve(...flags: string[]) {
  const { child, finished } = startUnseen(['serve', '--port', '0', '--grace-seconds', '0.2', ...flags]);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const said = JSON.parse(line) as { msg: string; url: string };
      if (said.msg === 'listening') resolve(said.url);
    });
    void finished.then(({ stderr }) => {
      reject(new Error(stderr));
    });
  });
  return { url, child, finished };
}

const classify = (url: string, picture: Buffer) =>
  send(`${url}/classify`, {
    method: 'POST',
    headers: { 'content-type': 'image/jpeg' },
    body: picture as Uint8Array<ArrayBuffer>,
  });

test.skipIf(!available)(
  'classifies, learns a class, keeps it over a kill, and ends cleanly on SIGTERM',
  async () => {
    const random = Random.stream(11, 'serving');
    const flags = letterFlags.filter((_, i) => i % 3 === 0);
    const letters: Buffer[] = [];
    for (const flag of flags) letters.push(await renderFlag(flag, random));
    const newcomers: Buffer[] = [];
    for (let i = 0; i < 5; i++) newcomers.push(await renderFlag(newcomerFlag, random));
    const registry = `sqlite:${join(folder, 'classes.db')}`;

    const first = await serve('--registry', registry);
    const read = await Promise.all(letters.map((picture) => classify(first.url, picture)));
    const right = read.filter(({ body }, i) => body.predictions[0].class === flags[i].name).length;
    expect(right).toBeGreaterThanOrEqual(0.7 * flags.length);
    const key = readFileSync(join(folder, 'classes.key'), 'utf8').trim(); // made by the first start
    const added = await send(`${first.url}/classes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ name: newcomerFlag.name, attributes: attributesOf(newcomerFlag) }),
    });
    expect(added.status).toBe(201);
    const recognised = async (url: string): Promise<number> => {
      const answers = await Promise.all(newcomers.map((picture) => classify(url, picture)));
      return answers.filter(({ body }) => body.predictions[0].class === newcomerFlag.name).length;
    };
    expect(await recognised(first.url)).toBeGreaterThanOrEqual(4);
    const workers = childrenOf(first.child.pid!);
    expect(workers.length).toBeGreaterThan(0);
    first.child.kill('SIGKILL');
    expect((await first.finished).stderr).toContain(key); // shown once, when it was made

    const second = await serve('--registry', registry);
    expect(await recognised(second.url)).toBeGreaterThanOrEqual(4);
    await expect
      .poll(() => workers.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 5000 })
      .toEqual([]);
    second.child.kill('SIGTERM');
    const { code, stderr } = await second.finished;
    expect(stderr).toContain('Serving');
    expect(stderr).not.toContain(key);
    expect(code).toBe(0);
  },
);

test.skipIf(!available)('SIGHUP makes it read its certificate again, and it serves on', async () => {
  const [first, second] = [makeCertificate('first'), makeCertificate('second')];
  const files = { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') };
  const place = ({ cert, key }: TestCertificate): void => {
    writeFileSync(files.certificate, cert);
    writeFileSync(files.key, key);
  };
  place(first);
  const tls = ['--tls-certificate', files.certificate, '--tls-key', files.key];
  const { url, child, finished } = await serve('--registry', 'sqlite::memory:', ...tls);
  const ask = () => askOverTls(`${url}/readyz`, freshAgent(), [first, second]);
  expect(await ask()).toEqual({ status: 200, name: 'first' });
  place(second);
  child.kill('SIGHUP');
  await expect.poll(ask).toEqual({ status: 200, name: 'second' });
  child.kill('SIGTERM');
  expect((await finished).code).toBe(0);
});

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.trim().split(/\s+/).map(Number);
}

test('settings that cannot work end it with exit code 2 and the reason', async () => {
  const { code, stderr } = await unseen('serve', '--port', 'eighty');
  expect(code).toBe(2);
  expect(stderr).toContain('--port "eighty": a number is expected');
});

test('a bundle that is not there ends it with exit code 4, and leaves no database behind', async () => {
  const registry = join(folder, 'not-made', 'classes.db');
  const { code, stderr } = await unseen(
    'serve',
    '--bundle',
    join(folder, 'none'),
    '--registry',
    `sqlite:${registry}`,
  );
  expect(existsSync(join(folder, 'not-made'))).toBe(false);
  expect(code).toBe(4);
  expect(stderr).toContain('No bundle at');
});
