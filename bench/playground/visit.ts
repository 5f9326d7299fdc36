import axe from 'axe-core';
import type { Browser } from 'playwright-core';

export interface Visit {
  /** Of the page and its assets, which are needed before anything is shown; compressed, as transferred. */
  readonly bytes: number;
  /** Of what the page requests afterwards: responses of the server, sample pictures. */
  readonly later: number;
  /** From the start of the navigation until classes are listed and one can be added, when the page is complete. */
  readonly usableMilliseconds: number;
}

const usableAt = `document.querySelector('.class-item') && !document.querySelector('.classes-head button')?.disabled ? performance.now() : null`;

const firstLoad = /\/$|\.(?:js|css|woff2|svg)$/;

/** With an empty cache, as a first visitor. */
export async function measureVisit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const sizes: Promise<{ path: string; size: number }>[] = [];
  page.on('requestfinished', (request) => {
    const path = new URL(request.url()).pathname;
    sizes.push(request.sizes().then(({ responseBodySize: size }) => ({ path, size })));
  });
  await page.goto(url);
  // Asked again and again from here: the page's own policy forbids waitForFunction, which evaluates text in the page.
  let usableMilliseconds: number | null = null;
  while (usableMilliseconds === null) usableMilliseconds = await page.evaluate<number | null>(usableAt);
  await page.waitForLoadState('networkidle');
  const received = await Promise.all(sizes);
  await context.close();
  const sum = (isFirst: boolean): number =>
    received
      .filter(({ path }) => firstLoad.test(path) === isFirst)
      .reduce((total, { size }) => total + size, 0);
  return { bytes: sum(true), later: sum(false), usableMilliseconds };
}

/** What axe finds on the page with an answer on it. */
export async function auditPage(browser: Browser, url: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator('.sample').first().click();
  await page.locator('.predictions').waitFor();
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  await page.close();
  return violations.map(({ id, impact }) => `${id} (${impact ?? 'unknown'})`);
}
