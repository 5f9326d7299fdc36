/** The report in a real browser: opened as a file, looked at, used by keyboard, and judged by axe. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../../core/bundle/read.js';
import { percent } from '../../../core/percent.js';
import { silent } from '../../../core/progress.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { gatherReport } from '../../../trainer/report/gather/gather.js';
import { renderReport } from '../../../trainer/report/render/page.js';
import type { ReportData } from '../../../trainer/report/report-data.js';
import { trainingLog } from '../../../trainer/report/report-path.js';
import { train } from '../../../trainer/train.js';
import { hasBrowser, openBrowser } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import {
  expectNoBarriers,
  expectNothingSticksOut,
  expectReadableCharts,
  openReport,
  type OpenedReport,
} from '../../support/report-page.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const evil = '<script>alert("x")</script><img src=x onerror=alert(1)> & \'co\'';
const plain = syntheticDataset({ seen: 14, unseen: 6, rowsPerClass: 15, noise: 0.8 });
const dataset = {
  ...plain,
  name: `birds ${evil}`,
  classNames: plain.classNames.map((name, label) => (label === 2 ? evil : name)),
  attributeNames: plain.attributeNames.map((name, k) => (k < 4 ? `bill::${k === 0 ? evil : name}` : name)),
};
const file = join(folder, 'report.html');
let data: ReportData;
let browser: Browser | null = null;

beforeAll(async () => {
  const engine = new OnnxEngine({ threads: 1 });
  const out = join(folder, 'model');
  const configuration = smallConfiguration({ generator: { members: 2 } });
  await train({ dataset, configuration, seeds: [1], engine, out, resume: false, watcher: silent });
  data = await gatherReport({
    bundle: await readBundle(out),
    dataset,
    engine,
    logFile: trainingLog(out),
    watcher: silent,
    refitSeconds: 600,
    pictures: null,
  });
  writeFileSync(file, renderReport(data));
  if (hasBrowser) browser = await openBrowser();
});

describe('the file', () => {
  test('has no markup of a name in it, and asks for nothing', () => {
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('&lt;script&gt;alert(');
    expect(page).not.toContain('<script>alert(');
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/(src|href)="(?!#)/);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('stays small, with hundreds of classes and thousands of points', () => {
    const classes = Array.from({ length: 3000 }, (_, i) => ({ ...data.classes[0], name: `class ${i}` }));
    const cells = Array.from({ length: 15_000 }, (_, i) => [i % 240, (7 * i) % 240, 0.1] as const);
    const points = Array.from(
      { length: 3000 },
      (_, i) => [i % 61, i % 67, i % 6, i % 2 === 0 ? 1 : 0] as const,
    );
    const many: ReportData = {
      ...data,
      classes,
      confusion: {
        ...data.confusion,
        matrix: {
          classes: classes.map(({ name }) => name),
          seenClasses: 2000,
          classesPerCell: 13,
          cells,
          cellsLeftOut: 5,
        },
      },
      embedding: { ...data.embedding!, points },
    };
    expect(renderReport(many).length).toBeLessThan(6e6);
  });

  test('says what is not there', () => {
    const bare = renderReport({
      ...data,
      dataset: { ...data.dataset, unseenClasses: 0, isTrainingData: false },
      baseline: null,
      kernelRidge: null,
      embedding: null,
      syntheticRows: null,
      importance: null,
      history: null,
      validation: [],
    });
    for (const reason of [
      'The log of this run is not here',
      'too few test rows to draw',
      'no unseen classes to make features for',
      'too few test rows to tell',
      'nothing to trade',
      'its fingerprint differs',
      'kernel ridge: not recorded',
    ])
      expect(bare).toContain(reason);
  });

  test.each([9, 60, 400])('the area under the trade-off lies under all of its %i points', (count) => {
    const curve = Array.from({ length: count }, (_, i) => {
      const at = i / (count - 1);
      // In steps: several points have the same unseen accuracy.
      return {
        bias: at,
        unseenAccuracy: Math.round(5 * at) / 5,
        seenAccuracy: 1 - at * at,
        harmonicMean: 0.5,
      };
    });
    const page = renderReport({ ...data, curve });
    const pointsOf = (path: string): string[] => path.match(/-?[\d.]+,-?[\d.]+/g)!;
    const area = pointsOf(/<g[^>]*data-part="area"[^>]*>\s*<path d="([^"]*)"/.exec(page)![1]);
    const lines = [...page.matchAll(/<g[^>]*data-part="line"[^>]*>\s*<path d="([^"]*)"/g)];
    const drawn = lines.map(([, path]) => pointsOf(path)).find(({ length }) => length === count)!;
    expect(area.slice(0, count)).toEqual(drawn);
    expect(new Set(area.slice(count).map((point) => point.split(',')[1])).size).toBe(1); // back along the axis
  });

  test('every class has the interval of its accuracy, and so have the tiles', () => {
    const page = renderReport(data);
    for (const { accuracy, interval } of data.classes) {
      expect(interval[0]).toBeLessThanOrEqual(accuracy);
      expect(interval[1]).toBeGreaterThanOrEqual(accuracy);
      expect(interval[1] - interval[0]).toBeGreaterThan(0.1); // of three or fifteen rows
      const ends = interval.map((end) => percent(end)).join('\u00a0–\u00a0');
      expect(page).toContain(`${percent(accuracy)} (${ends})`);
    }
    const [low, high] = data.summary.intervals.harmonicMean!.map((end) => percent(end));
    expect(page).toContain(`95 %: ${low} – ${high}`);
  });

  test('has a column for each baseline, and a dash where an older bundle has only ESZSL', () => {
    const cells = (report: ReportData, figure: string): string[] => {
      const page = renderReport(report);
      const from = page.indexOf(`<td class="text">${figure}`);
      const row = page.slice(from, page.indexOf('</tr>', from));
      return [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text.trim());
    };
    const { summary, kernelRidge, baseline } = data;
    const shown = [summary.standard.top1, kernelRidge!.standardAccuracy, baseline!.standardAccuracy];
    const found = cells(data, 'Unseen classes only: top-1').slice(1, 4);
    shown.forEach((value, i) => {
      expect(found[i]).toMatch(new RegExp(`^${percent(value)} \\(`));
    });
    const older = cells({ ...data, kernelRidge: null }, 'Unseen classes only: top-1').slice(1, 4);
    expect(older).toEqual([found[0], '–', found[2]]);
    const plain = [summary.generalizedWithoutBias, kernelRidge!.withoutBias!, baseline!.withoutBias!];
    expect(cells(data, 'H without the bias').slice(1, 4)).toEqual(
      plain.map(({ harmonicMean }) => percent(harmonicMean)),
    );
  });
});

const open = (colorScheme: 'light' | 'dark'): Promise<OpenedReport> =>
  openReport(browser!, file, colorScheme);

describe('in a browser', () => {
  test('opens from a file without a request or a complaint', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page, asked, complaints } = await open('light');
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
    expect(await page.title()).toContain('<script>');
    await page.close();
  });

  test('every chart has a title, a legend, labelled axes and a sentence', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page } = await open('light');
    await expectReadableCharts(page, 14);
    await page.close();
  });

  test('nothing sticks out of the page, wide or narrow', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page } = await open('light');
    await expectNothingSticksOut(page);
    await page.close();
  });

  test('a table is sorted and searched by keyboard', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page } = await open('light');
    const box = page.locator('#classes .table');
    const names = (): Promise<string[]> => box.locator('tbody tr:visible td:first-child').allInnerTexts();
    const accuracies = async (): Promise<number[]> =>
      (await box.locator('tbody tr:visible td:nth-child(4)').allInnerTexts()).map((text) =>
        Number.parseFloat(text),
      ); // '53.4 (51.9 – 54.8)'
    const first = await accuracies();
    expect(first).toEqual([...first].sort((a, b) => a - b)); // worst first

    await box.getByRole('button', { name: 'Accuracy (%)' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const sorted = await accuracies();
    expect(sorted).toEqual([...first].sort((a, b) => b - a));
    expect(await box.locator('th:nth-child(4)').getAttribute('aria-sort')).toBe('descending');

    await box.getByRole('searchbox').focus();
    await page.keyboard.type('unseen');
    const unseen = data.classes.filter(({ seen, mistakenFor }) => !seen || mistakenFor?.seen === false);
    expect((await names()).sort()).toEqual(unseen.map(({ name }) => name).sort());
    expect(await box.locator('.count').innerText()).toBe(`${unseen.length} of ${data.classes.length} shown`);
    await page.close();
  });

  test('the colours follow the scheme of the screen, and paper is always light', async ({ skip }) => {
    if (!browser) return skip('no Chromium here');
    const background = 'getComputedStyle(document.body).backgroundColor';
    const { page } = await open('dark');
    expect(await page.evaluate(background)).toBe('rgb(20, 22, 26)');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate(background)).toBe('rgb(255, 255, 255)');
    expect(await page.locator('nav').isVisible()).toBe(false);
    await page.close();
  });

  test.for(['light', 'dark'] as const)('axe finds nothing in the %s page', async (scheme, { skip }) => {
    if (!browser) return skip('no Chromium here');
    const { page } = await open(scheme);
    await expectNoBarriers(page);
    await page.close();
  });
});
