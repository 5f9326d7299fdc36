/**
 * What the bias on unseen classes should follow: one number for all cases, how many unseen classes compete (what the product does), or how
 * these score on rows of seen classes too:
 *   npm run bench -- unseen-bias DATA [--worlds 3] [--work DIRECTORY] [--threads N]
 * In folds of the training rows alone a quarter of the seen classes play unseen. Some of them compete: drawn at random, all alike, or those that
 * score highest or lowest on rows of seen classes. H is at the bias that each rule gives, with the rule's settings fitted on
 * the other folds; the bundles choose theirs on validation folds of their own. --work keeps the bundles for another run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadDataset } from '../trainer/datasets/load.js';
import { trainedFold } from './adaptation/validation-folds.js';
import { competitionsOf, kinds, type BiasTrial } from './unseen-bias/competitions.js';
import { fitRules, rules } from './unseen-bias/rules.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    worlds: { type: 'string', default: '3' },
    work: { type: 'string' },
    threads: { type: 'string', default: '0' },
  },
});
const [data] = positionals as (string | undefined)[];
const folds = Number(values.worlds);
if (data === undefined || !(folds >= 2)) {
  console.error(
    'Usage: npm run bench -- unseen-bias DATA [--worlds 3, at least 2] [--work DIRECTORY] [--threads N]',
  );
  process.exit(2);
}
const dataset = await loadDataset(data);
const folder = values.work ?? mkdtempSync(join(tmpdir(), 'unseen-bias-'));
const competitions: BiasTrial[] = [];
for (let number = 0; number < folds; number++) {
  console.log(`fold ${number + 1} of ${folds}`);
  const trained = await trainedFold(dataset, number, folder, Number(values.threads));
  competitions.push(...(await competitionsOf(trained.bundle, trained.dataset, number)));
}
if (values.work === undefined) rmSync(folder, { recursive: true });

const harmonicMeans = new Map<BiasTrial, Record<string, number>>();
for (let number = 0; number < folds; number++) {
  const settings = fitRules(competitions.filter(({ fold, kind }) => fold !== number && kind === 'at random'));
  for (const one of competitions.filter(({ fold }) => fold === number))
    harmonicMeans.set(
      one,
      Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule(one, settings)])),
    );
}

const names = Object.keys(rules);
console.log(`\nH in %, mean over ${folds} folds and their draws\n`);
console.log(`| classes that compete | how many | ${names.join(' | ')} |`);
console.log(`| --- | --- |${names.map(() => ' --- |').join('')}`);
for (const kind of kinds)
  for (const count of [...new Set(competitions.map(({ competing }) => competing))].sort((a, b) => a - b))
    printRow(kind, String(count), (one) => one.kind === kind && one.competing === count);
for (const kind of kinds) printRow(kind, 'mean', (one) => one.kind === kind);

function printRow(kind: string, count: string, belongs: (one: BiasTrial) => boolean): void {
  const chosen = competitions.filter(belongs);
  if (chosen.length === 0) return;
  const means = names.map(
    (name) => chosen.reduce((sum, one) => sum + harmonicMeans.get(one)![name], 0) / chosen.length,
  );
  console.log(`| ${kind} | ${count} | ${means.map((mean) => (100 * mean).toFixed(1)).join(' | ')} |`);
}
