import type { Express } from 'express';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../server/app.js';
import { openApiDocument } from '../../../server/contract/openapi.js';
import type { HttpMethod, Operation, Parameter } from '../../../server/contract/openapi-types.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method as HttpMethod, operation })),
);
/** Pages for people, which a contract for programs need not name. */
const pages = ['GET /', 'GET /docs/docs.css', 'GET /docs/docs.js', 'GET /docs/letters.woff2'];
let server: TestServer;
beforeAll(async () => {
  const { bundle } = await trainSmallBundle(folder);
  server = await startTestServer({ bundle: () => bundle });
});

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** Every route of the app, as the document would write it. */
function routesOf(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return routesOf(handle.stack ?? []);
    const optional = /\{([^}]*)\}/;
    const paths = optional.test(route.path)
      ? [route.path.replace(optional, ''), route.path.replace(optional, '$1')]
      : [route.path];
    return Object.keys(route.methods)
      .filter((method) => method !== '_all')
      .flatMap((method) => paths.map((path) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`));
  });
}

function withoutExamples(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (/^examples?$/.test(key) ? undefined : part)),
  ) as unknown;
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : references(part),
  );
}

describe('the OpenAPI document', () => {
  test('has what OpenAPI 3.1 demands, and the version of the program', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      title: 'Unseen',
      version: expect.stringMatching(/^\d+\.\d+/) as string,
    });
    for (const { path, operation } of operations) {
      expect(path).toMatch(/^\//);
      expect(Object.keys(operation.responses)).not.toHaveLength(0);
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        expect(answer.description).not.toBe('');
      }
    }
  });

  test('names every operation once, under a tag that exists', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations)
      expect(tags).toEqual(expect.arrayContaining([...operation.tags!]));
  });

  test('every reference resolves, and every schema is referred to', () => {
    const found = references(document);
    for (const reference of found) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
      expect(target, reference).toBeTypeOf('object');
    }
    for (const name of Object.keys(document.components.schemas))
      expect(found, name).toContain(`#/components/schemas/${name}`);
  });

  test('every parameter in a path is described, and none that is not there', () => {
    const inPath = ({ parameters = [] }: Operation): Parameter[] =>
      parameters.filter((parameter) => parameter.in === 'path');
    for (const { path, operation } of operations)
      expect(inPath(operation).map(({ name }) => name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
  });

  test('defaults and limits of a query are those that are checked', () => {
    const { parameters } = document.paths['/classify'].post!;
    expect(parameters!.filter((parameter) => parameter.in === 'query')).toMatchObject([
      { name: 'topK', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 5 } },
      { name: 'explain', schema: { type: 'boolean', default: false } },
      { name: 'classes', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'group', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'minProbability', schema: { type: 'number', minimum: 0, maximum: 1 } },
      { name: 'scoresOf', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'groupBy', schema: { type: 'string' } },
      { name: 'unseenBias', schema: { type: 'number' } },
      { name: 'unknownAt', schema: { type: 'number', minimum: 0, maximum: 1 } },
    ]);
  });

  test('a refusal that says when to come back has Retry-After, and every one an X-Request-Id', () => {
    const { responses } = document.paths['/classify'].post!;
    for (const status of ['400', '401', '403', '405', '408', '413', '415', '422', '429', '500', '503', '504'])
      expect(responses[status].headers, status).toHaveProperty('X-Request-Id');
    expect(responses['429'].headers).toHaveProperty('Retry-After');
    expect(responses['429'].content).toHaveProperty('application/problem+json');
  });
});

describe('the document and the server', () => {
  test('every route of the app is in the document', () => {
    const app = createApp(server.dependencies) as Express & { router: { stack: readonly Layer[] } };
    const documented = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const routes = routesOf(app.router.stack).filter((route) => !pages.includes(route));
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) expect(documented).toContain(route);
  });

  test.each(operations)('$method $path is there', async ({ path, method, operation }) => {
    const values: Record<string, unknown> = { version: server.models.current.version.slice(0, 12) };
    for (const { name, example } of operation.parameters ?? []) values[name] ??= example ?? 'something';
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    const answer = await send(`${server.url}${url}`, { method: method.toUpperCase() });
    const said = answer.body as { detail?: string; error?: string };
    expect(String(said.detail ?? said.error)).not.toMatch(/^There is no [A-Z]+ \//);
    expect(Object.keys(operation.responses)).toContain(String(answer.status));
  });

  test('GET /openapi.json serves it', async () => {
    const answer = await send(`${server.url}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(withoutExamples(answer.body)).toEqual(withoutExamples(document)); // those are of the model that serves
  });
});
