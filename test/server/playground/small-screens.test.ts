/** What is in sight without scrolling on a page at 200 % zoom, and on a phone. */
import { afterEach, describe, expect, test } from 'vitest';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { chooseSample, expectVerdict } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;

describe.skipIf(!server).each([
  { screen: '1280 x 900 at 200 % zoom', viewport: { width: 640, height: 450 } },
  { screen: 'a phone', viewport: { width: 390, height: 844 } },
])('on $screen', ({ viewport }) => {
  let page: OpenedPage;
  afterEach(() => closePage(page));

  test('picture and answer are in sight together, before anything is clicked and after', async () => {
    page = await openPage(`${server!.url}/`, { viewport });
    await expectVerdict(page, /^Mike/);
    const isInSight = async (selector: string): Promise<boolean> => {
      const box = await page.locator(selector).boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= viewport.height;
    };
    expect([await isInSight('.drop-picture'), await isInSight('.verdict')]).toEqual([true, true]);
    await chooseSample(page, 'Lima');
    await expectVerdict(page, /^Lima/);
    await page.evaluate('scrollTo(0, 0)');
    expect([await isInSight('.drop-picture'), await isInSight('.verdict')]).toEqual([true, true]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });

  test('nothing is pushed away while the first answer comes', async () => {
    page = await openPage(`${server!.url}/`, { viewport });
    await expectVerdict(page, /^Mike/);
    const shifts = await page.evaluate(
      `new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().map(({ value }) => value)))
          .observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve([]), 500); // where there is none, the observer is not called
      })`,
    );
    expect((shifts as number[]).reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.1); // more is felt
  });
});

test.skipIf(!server)(
  'on a wide screen what the page is for stands below its title before the script has come',
  async () => {
    const page = await openPage(`${server!.url}/`, {
      viewport: { width: 1350, height: 940 },
      javaScriptEnabled: false,
    });
    const title = (await page.locator('h1').boundingBox())!;
    const purpose = (await page.locator('.masthead-purpose').boundingBox())!;
    expect(purpose.y).toBeGreaterThanOrEqual(title.y + title.height);
    await closePage(page);
  },
);
