/** A report opened from its file in a real browser, and what must hold for every such page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

export interface OpenedReport {
  readonly page: Page;
  readonly asked: string[];
  readonly complaints: string[];
}

/** A page with the report open, and what it asked for and complained of. */
export async function openReport(
  browser: Browser,
  file: string,
  colorScheme: 'light' | 'dark',
): Promise<OpenedReport> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 1000 } });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href);
  return { page, asked, complaints };
}

/** Every chart has a title, a legend, labelled axes and a sentence. */
export async function expectReadableCharts(page: Page, fewest: number): Promise<void> {
  const charts = await page.locator('figure.chart').all();
  expect(charts.length).toBeGreaterThanOrEqual(fewest);
  for (const chart of charts) {
    const title = await chart.locator('h3').innerText();
    expect(title).not.toBe('');
    expect(await chart.locator('.legend li').count(), title).toBeGreaterThan(0);
    expect((await chart.locator('figcaption').innerText()).length, title).toBeGreaterThan(20);
    const drawing = chart.locator('svg[role=img]');
    expect(await drawing.getAttribute('aria-label')).toBe(title);
    const labels = await drawing.locator('[data-part$="axis label"]').allTextContents();
    expect(labels.length, title).toBeGreaterThanOrEqual(2);
    for (const label of labels) expect(label.trim(), title).not.toBe('');
  }
}

export async function expectNothingSticksOut(page: Page): Promise<void> {
  for (const width of [1100, 420]) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  }
}

export async function expectNoBarriers(page: Page): Promise<void> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const found = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run(document, { resultTypes: ["violations"] })');
  const told = found.violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html.slice(0, 200)}`,
  );
  expect(told).toEqual([]);
}
