import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
let bundle: Bundle;
let server: TestServer;
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(folder));
  server = await startTestServer({ bundle: () => bundle });
  for (const number of [1, 2, 3, 4, 5, 6]) await writeFile(file(`${number}.png`), await numbered(number));
  await writeFile(file('text.png'), 'no picture');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('unseen classify', () => {
  test('prints a line for each file, in their order', async () => {
    const files = [6, 5, 4, 3, 2, 1].map((number) => file(`${number}.png`));
    const { code, stdout } = await unseen('classify', ...files, '--url', server.url, '--top-k', '2');
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(6);
    lines.forEach((line, i) => {
      expect(line.startsWith(files[i])).toBe(true);
      expect(line.match(/\d\.\d % /g)).toHaveLength(2);
    });
  });

  test('prints the response of the server with --json, and the reasons with --explain', async () => {
    const words = ['classify', file('1.png'), '--url', server.url, '--explain'];
    const { stdout } = await unseen(...words, '--json');
    const { files } = JSON.parse(stdout) as {
      files: { predictions: { class: string }[]; explanation: object }[];
    };
    expect(files).toHaveLength(1);
    expect(files[0].predictions).toHaveLength(5);
    expect(files[0].explanation).toHaveProperty('attributes');
    const { stdout: text } = await unseen(...words);
    expect(text).toContain('    reads: ');
    expect(text).toContain(`    ${files[0].predictions[0].class}: `);
  });

  test('asks no server when nothing that was named exists', async () => {
    const { code, stderr } = await unseen('classify', file('flgas'), '--url', 'http://127.0.0.1:1');
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no file or folder ${file('flgas')}.`);
  });

  test('names files that cannot be used, answers the others, and ends with 8', async () => {
    const files = [file('text.png'), file('1.png'), file('absent.png')];
    const { code, stdout } = await unseen('classify', ...files, '--url', server.url);
    expect(code).toBe(8);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/text\.png +problem: .*\(image-type-refused\)$/);
    expect(lines[1]).toMatch(/1\.png +[\d.]+ % /);
    expect(lines[2]).toMatch(/absent\.png +problem: It cannot be read/);
    const json = await unseen('classify', ...files, '--url', server.url, '--json');
    expect(json.code).toBe(8);
    const answer = JSON.parse(json.stdout) as { files: { file: string; problem?: { code: string } }[] };
    expect(answer.files.map(({ problem }) => problem?.code)).toEqual([
      'image-type-refused',
      undefined,
      'image-invalid',
    ]);
  });

  test('ends with 10 when there is no server, or when it refuses the call itself', async () => {
    const nobody = await unseen('classify', file('1.png'), file('2.png'), '--url', 'http://127.0.0.1:1');
    expect(nobody.code).toBe(10);
    expect(nobody.stderr).toMatch(/cannot be reached/);
    expect(nobody.stderr.trim().split('\n')).toHaveLength(1);
    const bias = await unseen('classify', file('1.png'), '--url', server.url, '--unseen-bias', '-1e9');
    expect(bias.code).toBe(10);
    expect(bias.stderr).toMatch(/unseenBias must lie between/);
  });

  test('takes a key from a flag and from the environment', async () => {
    const guarded = await startTestServer({
      bundle: () => bundle,
      settings: { apiKeys: ['secret-of-the-guests'] },
    });
    const words = ['classify', file('1.png'), '--url', guarded.url];
    expect((await unseen(...words)).code).toBe(10);
    expect((await unseen(...words, '--key', 'secret-of-the-guests')).code).toBe(0);
    vi.stubEnv('UNSEEN_KEY', 'secret-of-the-guests');
    expect((await unseen(...words)).code).toBe(0);
  });

  test('wrong options end with 2', async () => {
    for (const words of [
      [],
      ['x.png', '--url', 'ftp://x'],
      ['x.png', '--top-k', '0'],
      ['x.png', '--unseen-bias', 'y'],
    ])
      expect((await unseen('classify', ...words)).code).toBe(2);
  });
});
