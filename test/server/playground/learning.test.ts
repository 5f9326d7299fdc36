/** "Learn from pictures" in a real browser, on a real server: a pool of pictures, what it would change, commit and undo. */
import axe from 'axe-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { startTestServer, testKey } from '../../support/test-server.js';
import { alert } from './page.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = hasBrowser ? await startTestServer({ bundle: () => bundle }) : null;

async function pictures(count: number): Promise<{ name: string; mimeType: string; buffer: Buffer }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      return { name: `${i}.png`, mimeType: 'image/png', buffer: await numbered(i) };
    }),
  );
}

describe.skipIf(!server)('learning from pictures', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/#key=${testKey}`);
    await page.locator('.learning-panel summary').first().focus();
    await page.keyboard.press('Enter'); // by keyboard alone
    await page.getByText('Nothing has been learnt from pictures so far.').waitFor();
  });
  afterEach(() => closePage(page));

  const violations = async (): Promise<string[]> => {
    await page.evaluate(axe.source);
    const found = await page.evaluate<axe.AxeResults>('axe.run()');
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };
  const choose = async (files: Awaited<ReturnType<typeof pictures>>): Promise<void> => {
    await page.locator('#unlabelled-files').setInputFiles(files);
  };
  const pools = async (): Promise<number> => (await client.pools()).pools.length;

  test('a pool is shown as what it would change, learnt, and undone; nothing of the pictures stays', async () => {
    const broken = { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') };
    await choose([...(await pictures(120)), broken]);
    const preview = page.getByRole('region', { name: 'What would change' });
    await preview.waitFor({ timeout: 120_000 });
    expect(await preview.textContent()).toContain('Of 120 pictures');
    expect(await preview.getByRole('table').getByRole('row').count()).toBeGreaterThan(3);
    expect(await page.getByText('1 file cannot be used').isVisible()).toBe(true);
    expect(await violations()).toEqual([]);
    expect(await pools()).toBe(1);
    expect((await client.adaptations()).adaptations).toEqual([]); // only shown so far

    await preview.getByRole('button', { name: 'Learn this' }).press('Enter');
    const undo = page.getByRole('button', { name: 'Undo what was learnt' });
    await undo.waitFor({ timeout: 60_000 });
    expect(await page.getByText('Learnt from 120 pictures').isVisible()).toBe(true);
    expect((await client.adaptations()).adaptations).toMatchObject([{ active: true, pictures: 120 }]);
    expect(await pools()).toBe(0);
    expect(await violations()).toEqual([]);

    await undo.press('Enter');
    await page.getByText('Nothing has been learnt from pictures so far.').waitFor();
    expect((await client.adaptations()).adaptations).toMatchObject([{ active: false }]);
  }, 240_000);

  test('too few pictures are refused in plain words, and a pool that is not wanted is forgotten', async () => {
    await choose(await pictures(5));
    await alert(page, 'These are too few pictures').waitFor({ timeout: 30_000 });
    await choose([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }]);
    await page.getByText('1 file cannot be used').waitFor();
    await expect.poll(pools).toBe(0);
  }, 60_000);
});
