/** The report of experiments in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderPage } from '../../../trainer/experiments/render-page.js';
import { renderMarkdown } from '../../../trainer/experiments/render.js';
import type { Reproduction } from '../../../trainer/experiments/reproduce.js';
import { hasBrowser, openBrowser } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import {
  expectNoBarriers,
  expectNothingSticksOut,
  expectReadableCharts,
  openReport,
} from '../../support/report-page.js';

const evil = '<script>alert("x")</script><img src=x onerror=alert(1)>';
const names = ['sooty albatross', evil, 'lark'];
const reproduction: Reproduction = {
  tables: [
    {
      table: 'gzsl',
      dataset: `birds ${evil}`,
      columns: ['unseen', 'seen', 'H'],
      rows: [
        { source: 'paper', name: 'SJE', values: [23.5, 59.2, 33.6] },
        { source: 'baseline', name: 'softmax on real rows', values: [0, 80.1, null] },
        { source: 'ours', name: 'Unseen', values: [50.1, 60.2, 54.7], deviations: [0.4, 0.2, 0.3], seeds: 3 },
      ],
      notes: ['A note.'],
    },
    {
      table: 'imagenet',
      dataset: 'words',
      columns: ['top-1', 'top-5'],
      rows: [{ source: 'paper', name: 'OT-ZSL (GoogleNet)', values: [null, 28.9] }],
      notes: [],
    },
  ],
  figures: [
    {
      figure: 'samples',
      points: [1, 10, 100, 500].map((samplesPerClass, i) => ({ samplesPerClass, top1: 40 + 5 * i })),
      plateauFrom: null,
    },
    {
      figure: 'ipot-vs-sinkhorn',
      curves: (['ipot', 'sinkhorn'] as const).flatMap((solver, s) =>
        [1, 2].map((seed) => ({
          solver,
          seed,
          validationLoss: Array.from({ length: 15 }, (_, i) => 0.5 + s / 20 + seed / 100 + 1 / (i + 2)),
        })),
      ),
    },
    {
      figure: 'tsne',
      seed: 1,
      embedding: {
        ofUnseen: true,
        classes: names.map((name, i) => ({
          name,
          rows: 20,
          accuracy: i / 3,
          likeness: 0.8,
          rival: { name: names[(i + 1) % 3], likeness: 0.6 },
        })),
        points: Array.from({ length: 120 }, (_, i) => {
          const label = Math.floor(i / 20) % 3;
          return [9 * label + Math.sin(i), 5 * label + Math.cos(3 * i), label, i < 60 ? 1 : 0] as const;
        }),
        perplexity: 20,
        divergence: 0.7,
      },
    },
  ],
};
const file = join(temporaryFolder(), 'report.html');
writeFileSync(file, renderPage(reproduction, `birds ${evil}`));
let browser: Browser | null = null;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});

describe('the report of experiments', () => {
  test('has every figure of the tables, no markup of a name, and asks for nothing', () => {
    const page = readFileSync(file, 'utf8');
    for (const figure of ['54.7 ± 0.3', '28.9', 'A note.', 'softmax on real rows'])
      expect(page).toContain(figure);
    expect(page).not.toContain('<script>alert(');
    expect(page).not.toContain('<img');
    expect(page).not.toMatch(/(src|href)="(?!#)/);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('says in Markdown too what the t-SNE shows, and when there was too little to draw', () => {
    expect(renderMarkdown(reproduction)).toContain('| sooty albatross');
    const none = { tables: [], figures: [{ figure: 'tsne' as const, seed: 1, embedding: null }] };
    for (const text of [renderMarkdown(none), renderPage(none, 'x')])
      expect(text).toContain('too few test rows');
  });

  test.for(['light', 'dark'] as const)(
    'opens from a file and can be read by all, %s',
    async (scheme, { skip }) => {
      if (!browser) return skip('no Chromium here');
      const { page, asked, complaints } = await openReport(browser, file, scheme);
      expect(asked).toEqual([pathToFileURL(file).href]);
      await expectReadableCharts(page, 3);
      await expectNoBarriers(page);
      await expectNothingSticksOut(page);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  test('its list of contents leads to every section', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page } = await openReport(browser, file, 'light');
    const links = await page.locator('nav a').all();
    expect(links).toHaveLength(5);
    for (const link of links) expect(await page.locator((await link.getAttribute('href'))!).count()).toBe(1);
    await page.close();
  });
});
