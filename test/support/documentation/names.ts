/** Links, scripts, settings and calls of the client: whatever is named exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { UnseenClient } from '../../../client/index.js';
import { projectFolder } from '../../../core/project-folder.js';
import { serverSettings, variableOf } from '../../../server/configuration.js';
import { configurationSchema, transductiveSchema } from '../../../trainer/configuration.js';
import { at, shellIn, type Check } from './check.js';
import { parseMarkdown, type Found } from './markdown.js';

const root = projectFolder();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const checkLinks: Check = (document) =>
  document.links.flatMap(({ line, text }) => {
    if (/^[a-z]+:/.test(text)) return []; // elsewhere in the world
    const [file, anchor] = text.split('#') as [string, string | undefined];
    const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
    if (path !== document.path && !existsSync(join(root, path)))
      return [at(document, line, `${path} does not exist`)];
    if (anchor === undefined || !path.endsWith('.md')) return [];
    const { anchors } = path === document.path ? document : parseMarkdown(path, read(path));
    return anchors.has(anchor) ? [] : [at(document, line, `${path} has no heading #${anchor}`)];
  });

const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
/** As bench/main.ts finds them. */
const benchmarks = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts') && !['main.ts', 'peer.ts', 'report-memory.ts'].includes(file))
  .map((file) => file.slice(0, -'.ts'.length));

export const checkScripts: Check = (document) => [
  ...document.lines.flatMap((content, index) => {
    const named = (pattern: RegExp): string[] => Array.from(content.matchAll(pattern), ([, name]) => name);
    return [
      ...named(/npm run ([\w:-]+)/g).filter((name) => !(name in scripts)),
      ...named(/bench -- ([\w-]+)/g).filter((name) => !benchmarks.includes(name)),
    ].map((name) => at(document, index + 1, `there is no script ${name}`));
  }),
  ...shellIn(document).flatMap(({ line, words: [program, file] }) => {
    const source = program === 'node' ? file.replace(/^dist\/(.+)\.js$/, '$1.ts') : '';
    return existsSync(join(root, source)) ? [] : [at(document, line, `there is no ${source}`)];
  }),
];

const settings = { ...configurationSchema.parse({}), transductive: transductiveSchema.parse({}) };
const variables = [
  ...serverSettings.map(variableOf),
  'UNSEEN_CACHE',
  'UNSEEN_KEY',
  'UNSEEN_URL',
  'UNSEEN_TEST_CHROMIUM',
];
const settingPath = /^(features|generator|head|validation|transductive)(\.[a-zA-Z]+)+$/;
const fileName = /\.(npy|mat|onnx)$/;

export const checkSettings: Check = (document) => {
  const inEnvironment = document.lines.flatMap((content, index): Found[] =>
    Array.from(content.matchAll(/UNSEEN_[A-Z_]+/g), ([text]) => ({ line: index + 1, text })),
  );
  const ofTraining = document.spans.filter(({ text }) => settingPath.test(text) && !fileName.test(text));
  return [
    ...inEnvironment.filter(({ text }) => !variables.includes(text)),
    ...ofTraining.filter(({ text }) => valueAt(text) === undefined && !isOptional(text)),
  ].map(({ line, text }) => at(document, line, `there is no setting ${text}`));
};

function valueAt(path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], settings);
}

/** One that has no default is known all the same. */
function isOptional(path: string): boolean {
  const given = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), null);
  const { error } = configurationSchema.safeParse(given);
  return error?.issues.every(({ code }) => code !== 'unrecognized_keys') ?? true;
}

export const checkClient: Check = (document) =>
  document.blocks
    .filter(({ language }) => language === 'ts')
    .flatMap(({ line, text }) =>
      Array.from(text.matchAll(/\bclient\.(\w+)\(/g), ([, name]) => name)
        .filter((name) => !(name in UnseenClient.prototype))
        .map((name) => at(document, line, `the client has no ${name}()`)),
    );
