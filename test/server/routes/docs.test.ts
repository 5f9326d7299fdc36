import axe from 'axe-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { openApiDocument } from '../../../server/contract/openapi.js';
import type { OpenApiDocument } from '../../../server/contract/openapi-types.js';
import { closePage, hasBrowser, openPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { numbered } from '../../support/pictures.js';
import { send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
let server: TestServer;
let bundle: Bundle;
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(folder));
  server = await startTestServer({ bundle: () => bundle });
});

describe('GET /docs', () => {
  test('is a page that loads everything from this server, and all of it is there', async () => {
    const answer = await send(`${server.url}/docs`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const addresses = [...String(answer.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address,
    );
    const files = addresses.filter((address) => !address.startsWith('#') && address !== 'data:,');
    expect(files).toHaveLength(4); // style sheet, script, the playground, and the contract
    for (const address of files) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      expect((await fetch(new URL(address, `${server.url}/docs`))).status, address).toBe(200);
    }
  });

  test('allows no script and no style inside the page, and nothing from elsewhere', async () => {
    const answer = await send(`${server.url}/docs`);
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https:|\*/);
    expect(answer.body).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test('what never changes under its address is cached for a year, the page itself is asked for again', async () => {
    const caching = async (path: string) =>
      (await fetch(`${server.url}${path}`)).headers.get('cache-control');
    for (const path of ['/docs/docs.css?v=1', '/docs/docs.js?v=1'])
      expect(await caching(path)).toMatch(/max-age=31536000, immutable/);
    expect(await caching('/docs')).toBe('no-cache');
    expect(await caching('/openapi.json')).toBe('no-cache');
  });

  test('nothing else lies beside it', async () => {
    for (const path of ['index.html', 'package.json', '..%2fpackage.json', 'x/y.js', 'swagger-ui.css'])
      expect((await send(`${server.url}/docs/${path}`)).status, path).toBe(404);
  });

  test('every operation of the contract is on it, under an address of its own, and every link within it leads somewhere', async () => {
    const page = String((await send(`${server.url}/docs`)).body);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const { paths } = openApiDocument();
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(operations.length).toBeGreaterThan(15);
    for (const { operationId } of operations) expect(ids, operationId).toContain(operationId);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test('with a slash behind it leads to the page', async () => {
    const response = await fetch(`${server.url}/docs/`);
    expect(response.url).toBe(`${server.url}/docs`);
    expect(response.status).toBe(200);
  });

  test('other methods are refused', async () => {
    const { status, headers } = await send(`${server.url}/docs`, { method: 'POST' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET');
  });
});

describe('its examples', () => {
  const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

  test('are of the model that is served: class and attribute names that work here', async () => {
    const [page, contract] = await Promise.all(
      ['/docs', '/openapi.json'].map((path) => textOf(server.url + path)),
    );
    const { manifest, version, classes } = server.models.current;
    const unseen = classes.list().find(({ seen }) => !seen)!;
    for (const text of [page, contract]) {
      for (const word of ['zebra', 'horse', 'okapi', 'stripes', 'hooves'])
        expect(text, word).not.toContain(word);
      for (const word of [unseen.name, manifest.attributes[0].name, version, manifest.dataset.name])
        expect(text, word).toContain(word);
    }
    const { post } = (JSON.parse(contract) as OpenApiDocument).paths['/classes'];
    const [one, vector] = Object.values(post!.requestBody!.content['application/json'].examples!);
    for (const { value } of [one, vector]) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      };
      const tried = await send(`${server.url}/classes?dryRun=true`, init);
      expect(tried.status, JSON.stringify(tried.body)).toBe(200);
    }
  });

  test('name no class where classes are read with a key only', async () => {
    const closed = await startTestServer({
      bundle: () => bundle,
      settings: { apiKeys: ['guest-of-the-tests-1'] },
    });
    const page = await textOf(`${closed.url}/docs`);
    for (const { name } of closed.models.current.classes.list()) expect(page).not.toContain(`"${name}`);
    expect(page).toContain('zebra');
  });
});

describe.skipIf(!hasBrowser)('in a browser, GET /docs', () => {
  test.each(['light', 'dark'] as const)(
    'opens with what can be asked on three screens, looks like the playground, and has no barriers: %s',
    async (colorScheme) => {
      const page = await openPage(`${server.url}/docs`, { colorScheme });
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(3300);
      const look = (): Promise<unknown> =>
        page.evaluate(`document.fonts.ready.then(() => {
          const { color, fontFamily } = getComputedStyle(document.body);
          const { backgroundColor } = getComputedStyle(location.pathname === '/docs' ? document.body : document.documentElement);
          return [color, fontFamily, backgroundColor, document.fonts.check('16px "Instrument Sans"')];
        })`);
      const here = await look();
      await page.locator('#classify > summary').click();
      await page.locator('#classify .answer').last().locator('summary').click(); // refusals
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      await page.goto(`${server.url}/`);
      expect(await look()).toEqual(here);
      await closePage(page);
    },
  );

  test('a link to a schema opens it, in the list that is folded at first', async () => {
    const page = await openPage(`${server.url}/docs#schema-Classification`);
    expect(await page.locator('#schema-Classification table').first().isVisible()).toBe(true);
    await closePage(page);
  });

  test('shows an operation, sends what was filled in to this server alone, and keeps to its own policy', async () => {
    const page = await openPage(`${server.url}/docs#listClasses`);
    await page.locator('#healthz summary').first().click();
    await page.locator('#healthz form button').click();
    await page.locator('#healthz .result', { hasText: '"status": "ok"' }).waitFor();
    const classes = page.locator('form[data-path="/classes"][data-method="GET"]');
    await classes.locator('.optional > summary').click();
    await classes.locator('input[name=limit]').fill('1');
    await classes.locator('button').click();
    await classes.locator('.result', { hasText: '200 OK' }).waitFor();
    await closePage(page);
  });

  test('classifies a picture that was chosen', async () => {
    const page = await openPage(`${server.url}/docs#classify`);
    const form = page.locator('#classify form');
    const buffer = Buffer.from(await numbered(1));
    await form.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await form.locator('button').click();
    await form.locator('.result', { hasText: '"predictions"' }).waitFor();
    await closePage(page);
  });
});
