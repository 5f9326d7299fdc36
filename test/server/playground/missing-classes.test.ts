/** "Find missing classes" in a real browser: groups of the pictures in the grid, one named and saved; and which classes may answer. */
import axe from 'axe-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { alikePicture, numbered } from '../../support/pictures.js';
import { startTestServer, testKey } from '../../support/test-server.js';
import { expectVerdict, shownPredictions } from './page.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = hasBrowser ? await startTestServer({ bundle: () => bundle }) : null;
const classNames = bundle.manifest.classes.map(({ name }) => name);

describe.skipIf(!server)('missing classes', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/#key=${testKey}`);
  });
  afterEach(() => closePage(page));

  const choose = async (count: number, make: (i: number) => Promise<Buffer>): Promise<void> => {
    const files = Array.from({ length: count }, async (_, i) => {
      return { name: `${i}.png`, mimeType: 'image/png', buffer: await make(i) };
    });
    await page.locator('#file').setInputFiles(await Promise.all(files));
  };

  test('a group of pictures is named, saved with them, and recognised', async () => {
    await choose(60, (i) => (i < 30 ? alikePicture(i) : numbered(i)));
    await page.getByRole('button', { name: 'Find missing classes' }).press('Enter');
    const found = page.getByRole('region', { name: 'Missing classes' });
    await found.getByText(/may be a missing class/).waitFor({ timeout: 120_000 });
    expect(await found.locator('.missing-pictures img').count()).toBeGreaterThan(2);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect((await client.pools()).pools).toHaveLength(1);

    await found.getByLabel('Name of the class').first().fill('Gradient');
    await found.getByRole('button', { name: 'Save as a class' }).first().press('Enter');
    await page.getByText('Gradient is known from now on').waitFor({ timeout: 60_000 });
    expect((await client.class('Gradient')).examples).toBeGreaterThan(2);
    await found.getByRole('button', { name: 'Done' }).click();
    await expect.poll(async () => (await client.pools()).pools.length).toBe(0);
  }, 240_000);

  test('only classes that were picked answer, and nothing where none is likely enough', async () => {
    await choose(1, numbered);
    await expectVerdict(page, /./);
    await page.getByText('Which classes may answer').click();
    const field = page.getByLabel('Only these classes');
    await field.fill('No such class');
    await field.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'There is no class “No such class”' }).waitFor();
    for (const name of classNames.slice(0, 2)) {
      await field.fill(name);
      await field.press('Enter');
    }
    await expect
      .poll(async () => (await shownPredictions(page)).map(({ name }) => name).sort())
      .toEqual(classNames.slice(0, 2).sort());
    await page.getByText('Only 2 classes may answer').waitFor();
    await page.getByRole('button', { name: 'Allow all classes' }).click();
    await expect.poll(async () => (await shownPredictions(page)).length).toBeGreaterThan(2);
  }, 120_000);
});
