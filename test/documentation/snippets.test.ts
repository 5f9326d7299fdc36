/** TypeScript and JSON that README and docs show, held against a real server with the demonstration. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attributesOf, attributeNames } from '../../demo/flags/attributes.js';
import { newcomerFlag } from '../../demo/flags/newcomer.js';
import { projectFolder } from '../../core/project-folder.js';
import { UnseenClient } from '../../client/index.js';
import { configurationSchema } from '../../trainer/configuration.js';
import { startDemoServer } from '../support/demo-server.js';
import { readDocumentation } from '../support/documentation/markdown.js';
import { compile, installClient, runProgram } from '../support/documentation/typescript.js';
import { temporaryFolder } from '../support/folders.js';
import { postBytes, send, testKey } from '../support/test-server.js';

const documents = readDocumentation(projectFolder());
const server = await startDemoServer();
const picture = join(projectFolder(), 'server/playground/samples/Rising-sun.jpg');
const blocks = (language: string) =>
  documents.flatMap((document) =>
    document.blocks
      .filter((block) => block.language === language)
      .map(({ line, text }) => ({ place: `${document.path}:${line}`, text })),
  );

/** What a snippet leaves to its reader: the bytes of a picture, and the attributes of a class. */
const leftToReaders = `import { readFile as read } from 'node:fs/promises';
const bytes = await read('flags/rising-sun.jpg');
const vector = JSON.parse(await read('vector.json', 'utf8')) as Record<string, number>;
void [bytes, vector];
`;

describe.skipIf(!server)('TypeScript', () => {
  const folder = temporaryFolder();
  installClient(folder);
  mkdirSync(join(folder, 'flags'));
  copyFileSync(picture, join(folder, 'flags/rising-sun.jpg'));
  const values = attributesOf(newcomerFlag);
  const vector = Object.fromEntries(attributeNames.map((name, k) => [name, values[k]]));
  writeFileSync(join(folder, 'vector.json'), JSON.stringify(vector));

  test.each(blocks('ts').map((block, number) => ({ ...block, number })))(
    '$place compiles and runs',
    async ({ text, number }) => {
      const name = `snippet-${number}`;
      const source = leftToReaders + text.replace('http://127.0.0.1:8080', server!.url);
      expect(source).toContain(server!.url);
      expect(await compile(folder, name, source)).toEqual({ code: 0, stdout: '', stderr: '' });
      const { code, stderr } = await runProgram(folder, name, testKey);
      expect(code, stderr).toBe(0);
      expect(stderr).toBe(''); // what is caught is written there
    },
  );
});

/** What the server really answers, by a key that tells which answer is shown. */
const answers: readonly (readonly [key: string, ask: () => Promise<unknown>])[] = [
  [
    'rollUp',
    async () => {
      const client = new UnseenClient({ url: server!.url, key: testKey });
      const classes = { blue: ['Charlie', 'Juliett', 'November'], yellow: ['Kilo', 'Lima', 'Quebec'] };
      await client.putGroup('with-blue', { classes: classes.blue, family: 'colours' });
      await client.putGroup('black-or-yellow', { classes: classes.yellow, family: 'colours' });
      return client.classify(readFileSync(picture), { topK: 2, groupBy: 'colours' });
    },
  ],
  [
    'predictions',
    async () => (await postBytes(server!.url, readFileSync(picture), '?topK=2')).body as unknown,
  ],
  [
    'errors',
    async () => {
      const known = (await send(`${server!.url}/classes/Kilo`)).body as {
        attributes: Record<string, number>;
      };
      const attributes = { ...known.attributes, 'edge::round': 1 };
      const body = JSON.stringify({ name: 'Kilo with a disc', attributes });
      const headers = { 'content-type': 'application/json' };
      return (await send(`${server!.url}/classes`, { method: 'POST', headers, body })).body as unknown;
    },
  ],
];

/** Keys and kinds of values, down to the last. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

describe.skipIf(!server)('JSON', () => {
  test.each(blocks('json'))('$place has the shape of a real answer', async ({ text }) => {
    const shown = JSON.parse(text) as object;
    const answer = answers.find(([key]) => key in shown);
    expect(answer, 'nothing is known that answers this').toBeDefined();
    const real = (await answer![1]()) as object;
    expect(shapeOf(shown)).toEqual(shapeOf(real));
    if ('errors' in shown) expect({ ...shown, requestId: '' }).toEqual({ ...real, requestId: '' });
  });
});

test('settings within sentences are taken by the program', () => {
  const settings = documents
    .flatMap(({ spans }) => spans)
    .filter(({ text }) => /^\{"(features|generator|head|validation|transductive)":/.test(text));
  expect(settings.length).toBeGreaterThan(1);
  for (const { text } of settings)
    expect(() => configurationSchema.parse(JSON.parse(text)), text).not.toThrow();
});
