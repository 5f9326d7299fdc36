/**
 * The playground as a first visitor loads it, on loopback: npm run bench -- playground [rounds]
 * Bytes of the first load, time until it can be used, what axe finds, and Lighthouse's scores. Needs Chromium
 * (/usr/bin/chromium, or UNSEEN_TEST_CHROMIUM). Lighthouse is fetched through npx: as a dependency it would double what
 * is installed everywhere.
 */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { lighthouseScores } from './playground/lighthouse.js';
import { auditPage, measureVisit, type Visit } from './playground/visit.js';
import { median } from './quantiles.js';
import { ServerProcess } from './serving/server-process.js';

const program = process.env.UNSEEN_TEST_CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(program)) {
  console.error(`There is no Chromium at ${program}. Install it, or name it in UNSEEN_TEST_CHROMIUM.`);
  process.exit(2);
}
const rounds = Number(process.argv[2] ?? 7);
const server = await ServerProcess.start({ 'log-level': 'info' });
try {
  const url = `${server.url}/`;
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  await measureVisit(browser, url); // the browser itself is slow the first time
  const visits: Visit[] = [];
  for (let round = 0; round < rounds; round++) visits.push(await measureVisit(browser, url));
  const found = await auditPage(browser, url);
  await browser.close();

  const [{ bytes, later }] = visits;
  const times = visits.map(({ usableMilliseconds }) => usableMilliseconds);
  const kilobytes = (count: number): string => `${(count / 1000).toFixed(1)} kB`;
  console.log(
    `first load, compressed: ${kilobytes(bytes)} (target 80 kB); flags and answers after it: ${kilobytes(later)}`,
  );
  console.log(
    `can be used after ${median(times).toFixed(0)} ms (median of ${rounds}, empty cache; slowest ${Math.max(...times).toFixed(0)} ms; target 1000 ms)`,
  );
  console.log(`axe: ${found.length} violations ${found.join(', ')}`);
  for (const preset of ['mobile', 'desktop'] as const) {
    const scores = lighthouseScores(url, program, preset);
    console.log(`Lighthouse, ${preset}: ${scores} (target 95)`);
  }
} finally {
  await server.stop();
}
