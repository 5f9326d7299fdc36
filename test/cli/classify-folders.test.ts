/** Folders in, tables out: `unseen classify DIR --csv FILE`, with a real server, and a proxy before it that refuses. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { send, startTestServer, type TestServer } from '../support/test-server.js';

const root = temporaryFolder();
let folder: string;
let server: TestServer;
let bundle: Bundle;
let counter = 0;
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(root));
  server = await startTestServer({ bundle: () => bundle });
});

/** Six pictures in two levels, one that is none, and one file of another kind. */
beforeEach(async () => {
  folder = join(root, `run-${counter++}`);
  await mkdir(join(folder, 'in/deep er'), { recursive: true });
  for (const number of [1, 2, 3])
    await writeFile(join(folder, 'in', `${number}.png`), await numbered(number));
  for (const [number, name] of [
    [4, 'a, b.png'],
    [5, '=2+2.PNG'],
    [6, '-minus "q".png'],
  ] as const)
    await writeFile(join(folder, 'in/deep er', name), await numbered(number));
  await writeFile(join(folder, 'in/broken.jpg'), 'no picture');
  await writeFile(join(folder, 'in/notes.txt'), 'no picture either');
});

const csv = () => join(folder, 'answers.csv');
const rows = async (): Promise<string[][]> => parse(await readFile(csv(), 'utf8'), { bom: true });
const classify = (...words: string[]) =>
  unseen('classify', join(folder, 'in'), '--csv', csv(), '--url', server.url, ...words);

/** The same table, but for the last digits of probabilities and novelty, which depend on how pictures fell into batches. */
function expectSameAnswers(actual: string[][], expected: string[][]): void {
  expect(actual.map((line) => line.length)).toEqual(expected.map((line) => line.length));
  for (const [i, cell] of expected.flat().entries())
    if (/^[01]\.\d+$/.test(cell)) expect(Number(actual.flat()[i])).toBeCloseTo(Number(cell), 3);
    else expect(actual.flat()[i]).toBe(cell);
}

describe('a folder of pictures becomes a table', () => {
  test('with a line for each picture of every level, in the order of their names, and the reason where there is no answer', async () => {
    const { code, stdout, stderr } = await classify('--top-k', '2');
    expect(code).toBe(8);
    const [header, ...lines] = await rows();
    expect(header.join()).toBe(
      'file,class,probability,kind,class 2,probability 2,kind 2,verdict,novelty,problem,model',
    );
    const names = lines.map(([file]) => file.slice(join(folder, 'in').length + 1));
    expect(names).toEqual(
      ['1.png', '2.png', '3.png', 'broken.jpg'].concat([
        'deep er/-minus "q".png',
        'deep er/=2+2.PNG',
        'deep er/a, b.png',
      ]),
    );
    for (const line of lines.filter(([file]) => !file.endsWith('broken.jpg'))) {
      expect(Number(line[2])).toBeGreaterThanOrEqual(Number(line[5]));
      expect(line[3]).toMatch(/^(seen|unseen)$/);
      expect(line[7]).toMatch(/^(known|unsure|unknown)$/);
      expect(Number(line[8]) >= 0 && Number(line[8]) <= 1).toBe(true);
      expect(line[9]).toBe('');
    }
    expect(lines[3].slice(1, 9).join('')).toBe('');
    expect(lines[3][9]).toContain('image-type-refused');
    expect(stdout).toMatch(/^6 pictures answered/);
    expect(stdout).toContain('1 could not be used');
    expect(stderr).toContain('notes.txt');
  });

  test('which spreadsheets do not take for formulas', async () => {
    // A name that is not there has a row as well, unless nothing that was named is there.
    await unseen('classify', '=1.png', join(folder, 'in', '1.png'), '--csv', csv(), '--url', server.url);
    const line = (await readFile(csv(), 'utf8')).split('\n')[1];
    expect(line).toMatch(/^'=1\.png,/);
  });

  test('that says the same as the answers of the server, whole ones with --jsonl', async () => {
    const jsonl = join(folder, 'answers.jsonl');
    await classify('--jsonl', jsonl);
    const documents = (await readFile(jsonl, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; predictions?: { class: string }[] });
    const lines = (await rows()).slice(1);
    expect(documents.map(({ file }) => file)).toEqual(lines.map(([file]) => file));
    expect(documents.map(({ predictions }) => predictions?.[0].class ?? '')).toEqual(
      lines.map(([, name]) => name),
    );
  });

  test('a link that leads back to a folder above is followed once', async () => {
    await symlink(join(folder, 'in'), join(folder, 'in/deep er/again'));
    await classify();
    expect(await rows()).toHaveLength(8);
  });
});

describe('a table that exists is continued', () => {
  test('lines that are there stay, a line that was cut off and one with a problem are answered again', async () => {
    await classify();
    const whole = await rows();
    const lines = (await readFile(csv(), 'utf8')).split('\n');
    await writeFile(csv(), lines.slice(0, 3).join('\n') + '\n' + lines[3].slice(0, 20));
    const { stdout, stderr } = await classify();
    expect(stderr).toContain('2 pictures were answered earlier');
    expect(stdout).toMatch(/^4 pictures answered, 2 before/);
    const after = (await readFile(csv(), 'utf8')).split('\n');
    for (const kept of [0, 1, 2]) expect(after[kept]).toBe(lines[kept]);
    expectSameAnswers(await rows(), whole);
  });

  test('--unknown-at decides from which novelty on a picture is called unknown', async () => {
    await classify('--top-k', '1', '--unknown-at', '0');
    const [header, ...lines] = await rows();
    const verdicts = lines.map((line) => line[header.indexOf('verdict')]).filter((verdict) => verdict !== '');
    expect(new Set(verdicts)).toEqual(new Set(['unknown']));
  });

  test('a table with other columns is not touched', async () => {
    await writeFile(csv(), 'precious,table\n1,2\n');
    const { code, stderr } = await classify();
    expect(code).toBe(2);
    expect(stderr).toContain('other columns');
    expect(await readFile(csv(), 'utf8')).toBe('precious,table\n1,2\n');
  });

  test('answers of another model are answered again', async () => {
    await classify('--top-k', '1');
    const before = await rows();
    const table = await readFile(csv(), 'utf8');
    await writeFile(csv(), table.replaceAll(/,[0-9a-f]{64}$/gm, ',another'));
    const { stderr } = await classify('--top-k', '1');
    expect(stderr).toContain('6 answers came from another model');
    expectSameAnswers(await rows(), before);
  });
});

describe('with --again', () => {
  test('answers of the same model are asked for again: classes may have been added since', async () => {
    const words = ['--top-k', '1', '--unknown-at', '1', '--jsonl', join(folder, 'answers.jsonl')];
    await classify(...words);
    const name = 'a class that was added';
    const attributes = bundle.manifest.classes.find((one) => one.name !== name)!.attributes;
    const added = await send(`${server.url}/classes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, attributes }),
    });
    expect(added.status).toBe(201);
    const repeated = await classify(...words);
    expect(repeated.stderr).toContain('6 pictures were answered earlier. --again classifies them again');
    const { stdout, stderr } = await classify(...words, '--again');
    expect(stdout).toMatch(/^6 pictures answered: /);
    expect(stderr).not.toContain('answered earlier');
    const documents = (await readFile(join(folder, 'answers.jsonl'), 'utf8')).trim().split('\n');
    expect(documents).toHaveLength(7);
    expect(documents.filter((line) => line.includes('"registryRevision":1'))).toHaveLength(6);
    expect(await rows()).toHaveLength(8);
  });

  test('an option that means nothing without another one is refused', async () => {
    for (const [words, reason] of [
      [['--again'], '--again needs --csv or --jsonl'],
      [['--separator', ';'], '--separator needs --csv'],
      [['--backbone', 'resnet50-imagenet'], '--backbone needs --bundle'],
      [['--unknown-to-nearest'], '--unknown-to-nearest needs --move-to'],
    ] as const) {
      const { code, stderr } = await unseen('classify', join(folder, 'in'), '--url', server.url, ...words);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });
});

describe('where no class is as likely as was asked for', () => {
  test('the answer says so, counts as one, and the picture stays where it is', async () => {
    const jsonl = join(folder, 'answers.jsonl');
    const words = ['--min-probability', '1', '--unknown-to-nearest', '--jsonl', jsonl];
    const { code, stdout, stderr } = await classify(...words, '--move-to', join(folder, 'sorted'));
    expect([code, stderr]).toEqual([8, expect.not.stringContaining('TypeError')]);
    expect(stdout).toMatch(/^[1-6] have no class that reaches --min-probability; not moved$/m);
    expect(existsSync(join(folder, 'sorted'))).toBe(false);
    const again = await classify(...words, '--move-to', join(folder, 'sorted'));
    expect(again.stderr).toContain('6 pictures were answered earlier');
    expect((await readFile(jsonl, 'utf8')).trim().split('\n')).toHaveLength(7);
  });
});

describe('--move-to', () => {
  test('puts what looks like none of the classes into a folder of its own, or with the nearest class', async () => {
    const sorted = join(folder, 'sorted');
    const one = join(folder, 'in/1.png');
    const words = ['--url', server.url, '--unknown-at', '0', '--move-to', sorted];
    expect((await unseen('classify', one, ...words)).code).toBe(0);
    expect(await readdir(sorted)).toEqual(['none of these']);
    const { code, stdout } = await classify(...words, '--unknown-to-nearest');
    expect([code, stdout]).toEqual([
      8,
      expect.stringContaining('5 look like none of the classes; moved to the'),
    ]);
    expect(await readdir(join(sorted, 'none of these'))).toEqual(['1.png']);
    expect((await readdir(sorted)).length).toBeGreaterThan(1);
  });

  test('the same names again: what has been moved is passed over', async () => {
    const sorted = join(folder, 'sorted');
    const names = ['in/1.png', 'in/broken.jpg'].map((name) => join(folder, name));
    const words = ['--url', server.url, '--csv', csv(), '--move-to', sorted];
    await unseen('classify', ...names, ...words);
    const { code, stderr } = await unseen('classify', ...names, ...words);
    expect([code, stderr]).toEqual([8, expect.stringContaining('1 pictures are no longer there')]);
    const [place] = await readdir(sorted);
    expect(await readdir(join(sorted, place))).toEqual(['1.png']);
  });

  test('puts each picture into the folder of its class, overwrites nothing, and leaves what has no answer', async () => {
    await classify('--top-k', '1');
    const byFile = new Map(
      (await rows())
        .slice(1)
        .map((line) => [line[0].split('/').at(-1)!, line[4] === 'unknown' ? 'none of these' : line[1]]),
    );
    const sorted = join(folder, 'in/sorted'); // inside: it is not searched
    const taken = join(sorted, byFile.get('1.png')!);
    await mkdir(taken, { recursive: true });
    await writeFile(join(taken, '1.png'), 'was here before');
    const { code } = await classify('--top-k', '1', '--move-to', sorted);
    expect(code).toBe(8);
    expect(await readFile(join(taken, '1.png'), 'utf8')).toBe('was here before');
    expect(existsSync(join(taken, '1-2.png'))).toBe(true);
    expect(existsSync(join(sorted, byFile.get('a, b.png')!, 'a, b.png'))).toBe(true);
    expect(await readdir(join(folder, 'in'))).toEqual(['broken.jpg', 'deep er', 'notes.txt', 'sorted']);
  });
});

describe('a busy server', () => {
  let proxy: Server | undefined;
  afterAll(() => proxy?.close());

  test('is waited for as long as it asks, and every picture is answered', async () => {
    const asked: number[] = [];
    let quietUntil = 0;
    let early = 0;
    proxy = createServer((request, response) => {
      if (request.url?.startsWith('/classify')) {
        asked.push(Date.now());
        if (Date.now() < quietUntil) early += 1;
        if (asked.length === 3) {
          quietUntil = Date.now() + 1000;
          response.writeHead(429, { 'retry-after': '1' }).end('{}');
          return;
        }
      }
      void forward(request).then(
        async (answer) => response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
        () => response.writeHead(502).end(),
      );
    });
    await new Promise<void>((resolve) => proxy!.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    for (let number = 10; number < 40; number++)
      await writeFile(join(folder, 'in', `${number}.png`), await numbered(number % 9));
    const { code, stdout } = await unseen(
      ...['classify', join(folder, 'in'), '--csv', csv(), '--url', `http://127.0.0.1:${port}`],
    );
    expect(code).toBe(8); // broken.jpg
    expect(stdout).toMatch(/^36 pictures answered/);
    // Up to three others were under way when the refusal was sent.
    expect(early).toBeLessThanOrEqual(3);
    expect(asked.length).toBe(36 + 1 + 1);
  });

  async function forward(request: IncomingMessage): Promise<Response> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return fetch(`${server.url}${request.url}`, {
      method: request.method!,
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
  }
});

describe('without a server', () => {
  test('it says how to start one, and names --bundle', async () => {
    const { code, stderr } = await unseen('classify', join(folder, 'in'), '--url', 'http://127.0.0.1:1');
    expect(code).toBe(10);
    expect(stderr).toMatch(/unseen serve --bundle BUNDLE --port 1.*--bundle BUNDLE opens the model here/);
  });

  test('UNSEEN_URL names it', async () => {
    process.env.UNSEEN_URL = server.url;
    try {
      const { code } = await unseen('classify', join(folder, 'in/1.png'));
      expect(code).toBe(0);
    } finally {
      delete process.env.UNSEEN_URL;
    }
  });

  test('an empty UNSEEN_URL names none', async () => {
    process.env.UNSEEN_URL = '';
    try {
      const { code, stderr } = await unseen('classify', join(folder, 'gone.png'));
      expect([code, stderr]).toEqual([2, expect.stringContaining('There is no file or folder')]);
    } finally {
      delete process.env.UNSEEN_URL;
    }
  });

  test('a folder without pictures is a mistake that is told', async () => {
    await mkdir(join(folder, 'empty'));
    await appendFile(join(folder, 'empty/list.txt'), 'x');
    const { code, stderr } = await unseen('classify', join(folder, 'empty'), '--url', server.url);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no picture in .*list\.txt/);
  });
});
