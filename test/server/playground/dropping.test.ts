/** Folders that are dropped on the page, as a browser gets them from a file manager. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { startTestServer, testKey } from '../../support/test-server.js';
import { editor } from './page.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = hasBrowser ? await startTestServer({ bundle: () => bundle }) : null;

describe.skipIf(!server)('a folder that is dropped', () => {
  let page: OpenedPage;
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    page = await openPage(`${server!.url}/#key=${testKey}`);
    await page.getByText('Server ready').waitFor();
  });
  afterEach(() => closePage(page));

  const put = async (...paths: string[]): Promise<void> => {
    for (const [i, path] of paths.entries()) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), await numbered(i));
    }
  };
  /** Files that a page makes itself have no folders; those of the browser's own drag have. */
  const drop = async (selector: string, ...paths: string[]): Promise<void> => {
    const box = (await page.locator(selector).boundingBox())!;
    const session = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', {
        type,
        x: box.x + box.width / 2,
        y: box.y + box.height / 2,
        data: { items: [], files: paths, dragOperationsMask: 1 },
      });
  };
  const cards = () => page.locator('.card-name').allTextContents();

  test('becomes a grid of the pictures in it and in its folders, by name, without hidden files', async () => {
    await put('2.png', '10.png', 'more/3.png', '.hidden.png', '.cache/4.png');
    copyFileSync(join(folder, '2.png'), join(folder, '.DS_Store'));
    await drop('h1', folder);
    await expect.poll(cards).toEqual(['2.png', '10.png', '3.png']);
    await expect.poll(() => page.locator('.card-share').count()).toBe(3);
  });

  test('is taken with files beside it; a single picture in it is looked at', async () => {
    await put('flags/1.png', '2.png');
    await drop('h1', join(folder, 'flags'));
    await page.getByRole('img', { name: 'Chosen: 1.png' }).waitFor();
    expect(await cards()).toEqual([]);
    await drop('h1', join(folder, 'flags'), join(folder, '2.png'));
    await expect.poll(cards).toEqual(['1.png', '2.png']);
  });

  test('without a file says so', async () => {
    mkdirSync(join(folder, 'empty'));
    await drop('h1', folder);
    await page.getByText('There was no file in what you dropped.').waitFor();
  });

  test('on the editor of a class are pictures of the class', async () => {
    await put('1.png', '2.png');
    await page.getByRole('button', { name: 'Add a class' }).click();
    await drop('dialog.editor', folder);
    await editor(page).getByRole('status', { name: 'Pictures' }).getByText('2 pictures of it').waitFor();
    expect(await cards()).toEqual([]);
  });

  test('on "Learn from pictures" is what is learnt from', async () => {
    await put('1.png');
    for (const name of ['notes.txt', '.DS_Store']) writeFileSync(join(folder, name), 'hello');
    await page.locator('.learning-panel summary').first().click();
    await page.locator('.learning-drop').scrollIntoViewIfNeeded();
    await drop('.learning-drop', folder);
    await page.getByText('1 file cannot be used').waitFor();
    await page.getByText('These are too few pictures').waitFor({ timeout: 30_000 });
    expect(await cards()).toEqual([]);
  });
});
