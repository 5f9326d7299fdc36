/** What the tests do on the page, in the words of its readers. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const predictions = (page: Page): Locator => page.getByRole('list', { name: 'Likeliest classes' });

/** Name, kind and share of each row. */
export async function shownPredictions(page: Page): Promise<{ name: string; kind: string; share: string }[]> {
  const rows = await predictions(page).getByRole('button').all();
  return Promise.all(
    rows.map(async (row) => {
      const [name, kind, share] = await row.locator(':scope > span').allTextContents();
      return { name, kind, share };
    }),
  );
}

export async function chooseSample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await expectVerdict(page, /./);
}

export async function expectVerdict(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => page.locator('.verdict').textContent()).toMatch(words);
}

export const alert = (page: Page | Locator, words: string | RegExp): Locator =>
  page.getByRole('alert').filter({ hasText: words });

export const editor = (page: Page): Locator => page.locator('dialog.editor');

/** Filters for each attribute, as people would, and sets it. */
export async function setAttributes(page: Page, values: ReadonlyMap<string, number>): Promise<void> {
  const filter = editor(page).getByLabel('Filter attributes');
  for (const [name, value] of values) {
    await filter.fill(name);
    const field = editor(page).getByLabel(`${name.replace('::', ' ')}, exactly`);
    await field.fill(String(value));
    await field.press('Tab');
  }
  await filter.fill('');
}

export async function waitForSaved(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => page.getByRole('status', { name: 'Done' }).textContent()).toMatch(words);
}
