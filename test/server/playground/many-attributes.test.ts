/** A class with as many attributes as CUB's birds have: it stays quick to find and to move one of them. */
import type { Locator } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { birdAttributes, birdFamilies } from '../../support/bird-attributes.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { smallFeatureWidth, trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { startTestServer, testKey, type TestServer } from '../../support/test-server.js';
import { editor } from './page.js';

describe.skipIf(!hasBrowser)('with 312 attributes', async () => {
  const server = hasBrowser ? await startBirdServer() : null;
  let page: OpenedPage;
  const rows = (): Locator => editor(page).locator('.attribute');
  const slider = (name: string): Locator => editor(page).getByRole('slider', { name, exact: true });
  const filter = (text: string): Promise<void> => editor(page).getByLabel('Filter attributes').fill(text);
  const changes = (count: string) =>
    expect
      .poll(() => editor(page).locator('.attributes-tools').getByRole('status').textContent())
      .toBe(count);

  beforeEach(async () => {
    page = await openPage(`${server!.url}/#key=${testKey}`);
    await page.getByRole('button', { name: 'Add a class' }).click();
    await expect.poll(() => editor(page).locator('.family').count()).toBe(birdFamilies);
  });
  afterEach(() => closePage(page));

  test('families are folded at first; a filter opens what fits, if that is little, and folds again', async () => {
    expect(await rows().count()).toBe(0);
    await filter('o'); // fits most of them
    await expect.poll(() => editor(page).locator('.family').count()).toBeGreaterThan(15);
    expect(await rows().count()).toBe(0);
    await filter('olive wing');
    await expect.poll(() => rows().count()).toBe(1);
    await slider('olive').press('End');
    await changes('1 change');
    await filter('');
    await expect.poll(() => editor(page).locator('.family').count()).toBe(birdFamilies);
    expect(await rows().count()).toBe(0);
    await editor(page).getByLabel('only changed').check();
    await expect.poll(() => rows().count()).toBe(1);
    await editor(page)
      .getByRole('button', { name: /^has wing color olive: back to/ })
      .click();
    await editor(page).getByText('No attributes match.').waitFor();
    await changes('0 changes');
  });

  test('a slider that is moved draws its own row again, however many others are open', async () => {
    await filter('bill 3');
    await slider('bill 3').press('End'); // from now on it is a changed one: the number of changes stays
    await changes('1 change');
    const alone = await ownCalls(page, () => move(slider('bill 3')));
    await filter('');
    await expect.poll(() => editor(page).locator('.family').count()).toBe(birdFamilies);
    const drawingAll = await callsDuring(page, async () => {
      await editor(page)
        .locator('summary')
        .evaluateAll((all: { click(): void }[]) => {
          all.forEach((one) => {
            one.click();
          });
        });
      await expect.poll(() => rows().count()).toBe(birdAttributes.length);
    });
    const amongAll = await ownCalls(page, () => move(slider('bill 3')));
    expect(alone).toBeGreaterThan(50); // it did count
    // Were the others drawn, too, it would be about as many calls as drawing them when they were opened.
    expect(amongAll - alone).toBeLessThan(drawingAll / 4);
  });
});

async function startBirdServer(): Promise<TestServer> {
  const plain = syntheticDataset({ featureWidth: smallFeatureWidth, attributes: birdAttributes.length });
  const dataset = { ...plain, attributeNames: birdAttributes };
  const { bundle } = await trainSmallBundle(temporaryFolder(), 1, dataset);
  return startTestServer({ bundle: () => bundle });
}

/** One step, and what the page does in answer to it. */
async function move(slider: Locator): Promise<void> {
  const before = await slider.inputValue();
  await slider.press('ArrowLeft');
  await expect.poll(() => slider.inputValue()).not.toBe(before);
  await slider.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/**
 * Single counts vary by hundreds: the page asks for the server's state in between, which only ever adds calls, so the smallest of several is
 * the move's own. The first move after a filter takes fewer calls and is left out.
 */
async function ownCalls(page: OpenedPage, act: () => Promise<void>): Promise<number> {
  await act();
  const counts: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) counts.push(await callsDuring(page, act));
  return Math.min(...counts);
}

/** How many calls of functions the page's own program made meanwhile, as V8 counts them. */
async function callsDuring(page: OpenedPage, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await session.send('Profiler.takePreciseCoverage'); // counts start anew
  await act();
  const { result } = await session.send('Profiler.takePreciseCoverage');
  await session.detach();
  return result
    .filter(({ url }) => url.includes('/assets/'))
    .flatMap(({ functions }) => functions)
    .reduce((sum, { ranges: [{ count }] }) => sum + count, 0);
}
