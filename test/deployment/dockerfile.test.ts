/** The Dockerfile as linters and our own rules see it. It is built for real by scripts/image/build-here.sh, by hand. */
import { existsSync, readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { run } from 'dockerfilelint';
import { describe, expect, test } from 'vitest';
import { serverSettings, variableOf } from '../../server/configuration.js';
import { flatten, readDockerfile } from '../support/dockerfile.js';

const project = new URL('../../', import.meta.url);
const dockerfile = readDockerfile(new URL('Dockerfile', project));
const { text, defaults, stages } = dockerfile;
const targets = ['server', 'trainer'];

function only(stage: string, name: string): string[] {
  return flatten(dockerfile, stage)
    .filter((instruction) => instruction.name === name)
    .map((instruction) => instruction.text);
}

test('dockerfile-utils finds nothing', () => {
  expect(validate(text)).toEqual([]);
});

test('dockerfilelint finds nothing', () => {
  // It takes every stage for an image without a tag; tags are checked below.
  expect(run('.', text).filter(({ rule }) => rule !== 'missing_tag')).toEqual([]);
});

test('every base is an argument with a pinned default, or a stage', () => {
  const bases = [...defaults].filter(([name]) => name.endsWith('_IMAGE'));
  expect(bases.map(([name]) => name).sort()).toEqual(['CPU_IMAGE', 'CUDA_IMAGE', 'NODE_IMAGE']);
  for (const [, image] of bases)
    expect(image).toMatch(/^[a-z0-9./-]+:(?!latest)[\w.-]*\d[\w.-]*$|:bookworm-slim$/);
  const known = new Set<string>();
  for (const { name, from } of stages) {
    const isArgument = /^\$\{(NODE|CPU|CUDA)_IMAGE\}$/.test(from);
    const variants = ['cpu', 'cuda'].map((accelerator) => from.replace('${ACCELERATOR}', accelerator));
    expect(isArgument || variants.every((variant) => known.has(variant)), `FROM ${from}`).toBe(true);
    known.add(name);
  }
});

test('the server is the default target', () => {
  expect(stages.at(-1)?.name).toBe('server');
});

describe.each(targets)('%s', (target) => {
  test('runs as a numeric user other than root', () => {
    expect(only(target, 'USER').at(-1)).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  });

  test('starts under tini, everything in exec form', () => {
    const forms = ['ENTRYPOINT', 'CMD'].flatMap((name) => only(target, name));
    for (const form of forms) expect(JSON.parse(form)).toBeInstanceOf(Array);
    expect(JSON.parse(only(target, 'ENTRYPOINT').at(-1)!)).toEqual([
      '/usr/bin/tini',
      '--',
      'node',
      '/app/dist/cli/main.js',
    ]);
  });

  test('loads jemalloc, carries labels, and sets only variables that the program knows', () => {
    const environment = only(target, 'ENV').join(' ');
    expect(environment).toContain('LD_PRELOAD=libjemalloc.so.2');
    for (const key of ['title', 'licenses', 'version', 'revision'])
      expect(only(target, 'LABEL').join(' ')).toContain(`org.opencontainers.image.${key}=`);
    const known = [...serverSettings.map(variableOf), 'UNSEEN_CACHE'];
    for (const [variable] of environment.matchAll(/UNSEEN_\w+/g)) expect(known).toContain(variable);
  });
});

test('the server has a HEALTHCHECK in exec form, of a file that is copied', () => {
  const [check] = only('server', 'HEALTHCHECK');
  expect(JSON.parse(check.slice(check.indexOf('CMD') + 4))).toEqual(['node', '/app/healthcheck.js']);
  expect(only('server', 'COPY')).toContain('scripts/image/healthcheck.js ./');
});

test('what runs has no development dependencies, and only the CUDA stages download more', () => {
  const commands = (stage: string): string => only(stage, 'RUN').join('\n');
  expect(commands('dependencies')).toContain('npm ci --omit=dev --ignore-scripts');
  expect(commands('server-dependencies-cuda')).toContain('ONNXRUNTIME_NODE_INSTALL=cuda12');
  expect(commands('trainer-dependencies-cuda')).toContain('@tensorflow/tfjs-node-gpu@4.');
  expect(commands('trainer-dependencies-cpu')).not.toMatch(/tfjs|cuda12/);
});

test('everything that is copied from the project exists', () => {
  const copied = stages
    .flatMap(({ instructions }) => instructions)
    .filter(({ name, text: rest }) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ text: rest }) => rest.split(' ').slice(0, -1))
    .map((path) => path.replace('${BUNDLE}', 'models/demo'));
  expect(copied.length).toBeGreaterThan(10);
  for (const path of copied) expect(existsSync(new URL(path, project)), path).toBe(true);
});

test('the stage that builds has what the build reads, and .dockerignore lets it in', () => {
  const read = (name: string): string => readFileSync(new URL(name, project), 'utf8');
  const { build } = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
  const named = build.split(/\s+/).filter((word) => /\.(js|json)$/.test(word));
  expect(named).toContain('tsconfig.build.json');
  expect(build).toContain('vite build'); // which reads vite.config.ts; the package of the client gets a LICENSE
  const copied = only('build', 'COPY').flatMap((words) => words.split(' ').slice(0, -1));
  const allowed = read('.dockerignore').split('\n');
  for (const file of [...named, 'tsconfig.json', 'vite.config.ts', 'LICENSE']) {
    expect(copied, file).toContain(file);
    expect(allowed, file).toContain(`!${file.split('/')[0]}`);
  }
});
