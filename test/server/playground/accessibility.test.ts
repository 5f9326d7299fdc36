/** axe-core over every state of the page, on a wide and a narrow screen, light and dark. */
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { testKey } from '../../support/test-server.js';
import { chooseSample, editor } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

async function violations(page: OpenedPage): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found, passes } = await page.evaluate<axe.AxeResults>('axe.run()');
  expect(passes.length).toBeGreaterThan(15); // it did look
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.skipIf(!server)('axe finds nothing', () => {
  test.each([
    { screen: 'a wide light one', viewport: desktop, colorScheme: 'light' as const },
    { screen: 'a wide dark one', viewport: desktop, colorScheme: 'dark' as const },
    { screen: 'a zoomed light one', viewport: { width: 640, height: 450 }, colorScheme: 'light' as const },
    { screen: 'a narrow dark one', viewport: phone, colorScheme: 'dark' as const },
  ])('on $screen, in any state', async ({ viewport, colorScheme }) => {
    const page = await openPage(`${server!.url}/#key=${testKey}`, {
      viewport,
      colorScheme,
      reducedMotion: 'reduce',
    });
    await page.getByRole('button', { name: 'Mike', exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await chooseSample(page, 'Mike');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill('Second Mike');
    await editor(page).locator('summary').first().click();
    await editor(page).getByRole('slider').first().press('ArrowRight');
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const flags = ['Lima', 'Victor'].map((name) => `server/playground/samples/${name}.jpg`);
    await page.locator('#file').setInputFiles(flags); // the grid
    await page.locator('.card-share').nth(1).waitFor();
    await page.getByRole('slider', { name: /^Balance/ }).press('End'); // the note that it is moved
    await page.getByRole('note').waitFor();
    await page.locator('.learning-panel > details > summary').click();
    await page.getByRole('button', { name: /^All \d+$/ }).click();
    await page.getByRole('button', { name: /^Show the other/ }).click();
    expect(await violations(page)).toEqual([]);
    await page.locator('#file').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('hello'),
    });
    await page.getByRole('alert').getByText('This kind of file cannot be read').waitFor();
    expect(await violations(page)).toEqual([]);
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(wide).toBe(false); // nothing to be scrolled sideways
    await closePage(page);
  });
});
