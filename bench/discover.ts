/**
 * Missing classes: pictures of ten classes that were left out altogether, among pictures of known ones:
 *   npm run bench -- discover DATA [--seeds 1,2,3] [--bundles DIR,…] [--validation]
 * Each seed leaves out ten other unseen classes; the rest are added by their attributes to a bundle that was trained with unseen classes hidden (`--bundles`, or
 * trained here), and 2,000 test pictures of known classes are mixed in. With --validation the same is done with training pictures of seen classes alone, 50 of
 * which play unseen; settings are compared there.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bundle } from '../core/bundle/bundle.js';
import { readBundle } from '../core/bundle/read.js';
import { discoverClasses } from '../core/discovery/discover-classes.js';
import type { DiscoveredGroup } from '../core/discovery/discovery.js';
import { usualDiscovery, type DiscoverySettings } from '../core/discovery/find-groups.js';
import { evidenceSettingsOf, unseenShare } from '../core/fitting/evidence.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { HeadTable } from '../core/head/head-table.js';
import { rowOf, takeRows } from '../core/matrix.js';
import { mean } from '../core/mean.js';
import { Random } from '../core/random.js';
import { percent } from '../core/percent.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { validationSplit } from '../trainer/datasets/validation-split.js';
import { writeOpenForm } from '../trainer/datasets/write-open-form.js';
import { answersOf } from './trust/answers.js';
import { qualityOf } from './discover/quality.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    bundles: { type: 'string' },
    validation: { type: 'boolean', default: false },
  },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error('Usage: npm run bench -- discover DATA [--seeds 1,2,3] [--bundles DIR,…] [--validation]');
  process.exit(2);
}
const leftOutCount = 10;
const knownPictures = 2000;
/** Pictures of a group that become examples, as `unseen discover` copies them. */
const examplesPerGroup = 20;
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
const all = await loadDataset(data);

for (const [i, seed] of values.seeds.split(',').map(Number).entries()) {
  const dataset = values.validation ? validationSplit(all, { seed, classes: 50 }) : all;
  const bundle = await readBundle(values.bundles?.split(',')[i] ?? (await trained(dataset, seed)));
  const trial = await discoveryTrial(dataset, bundle, seed);
  console.log(
    `Seed ${seed}: ${trial.rows.length} pictures, ${trial.strange.length} of ${leftOutCount} classes that were left out`,
  );
  if (values.validation) await compareSettings(trial);
  else await report(trial);
}

interface DiscoveryTrial {
  readonly dataset: Dataset;
  readonly bundle: Bundle;
  /** Known by their attributes, with their rows. */
  readonly added: readonly (RuntimeClass & { readonly row: NonNullable<RuntimeClass['row']> })[];
  readonly leftOut: readonly number[]; // labels
  readonly rows: Int32Array; // of the dataset: those that are looked at
  readonly names: readonly string[]; // of their classes
  readonly strange: readonly number[]; // positions in rows
}

async function discoveryTrial(dataset: Dataset, bundle: Bundle, seed: number): Promise<DiscoveryTrial> {
  const { labels, splits, classNames, unseen } = dataset;
  const random = Random.stream(seed, 'discover');
  const order = Array.from(random.shuffle(unseen.slice()));
  const leftOut = order.slice(0, leftOutCount);
  const isLeftOut = (row: number): boolean => leftOut.includes(labels[row]);
  const classes = order.slice(leftOutCount).map((label) => describe(dataset, label));
  const fitter = await RuntimeFitter.open(bundle);
  const { rows: fitted } = await fitter.fit(classes);
  await fitter.release();
  const known = [...splits.testSeen, ...splits.testUnseen.filter((row) => !isLeftOut(row))];
  const rows = Int32Array.from([
    ...random.shuffle(Int32Array.from(known)).subarray(0, knownPictures),
    ...splits.testUnseen.filter(isLeftOut),
  ]);
  const names = Array.from(rows, (row) => classNames[labels[row]]);
  return {
    ...{ dataset, bundle, leftOut, rows, names },
    added: classes.map((one, c) => ({ ...one, row: fitted[c] })),
    strange: Array.from(rows.keys()).filter((at) => isLeftOut(rows[at])),
  };
}

function describe({ classNames, attributes }: Dataset, label: number): RuntimeClass {
  return { name: classNames[label], attributes: Array.from(rowOf(attributes, label)) };
}

async function groupsOf(
  trial: DiscoveryTrial,
  settings?: DiscoverySettings,
): Promise<readonly DiscoveredGroup[]> {
  const { bundle, added, dataset, rows } = trial;
  const table = HeadTable.ofBundle(bundle);
  for (const { row, name, attributes } of added)
    table.put({ name, attributes, seen: false, runtime: true }, row);
  const features = takeRows(dataset.features, rows);
  const { groups } = await discoverClasses(bundle, table, features, settings && { settings });
  return groups;
}

function missingNames({ dataset, leftOut }: DiscoveryTrial): string[] {
  return leftOut.map((label) => dataset.classNames[label]);
}

function shownQuality(groups: readonly DiscoveredGroup[], trial: DiscoveryTrial): string {
  const { newGroups, purity, completeness, found, mean } = qualityOf(
    groups,
    trial.names,
    missingNames(trial),
  );
  return (
    `${groups.length} groups, ${newGroups} of them mostly of a missing class; purity of these ${percent(purity)} %, ` +
    `completeness ${percent(completeness)} % (mean over all ${leftOutCount} classes), F1 ${percent(mean)} %, found (F1 of a half and more) ${found} of ${leftOutCount}`
  );
}

async function compareSettings(trial: DiscoveryTrial): Promise<void> {
  const variants: Partial<DiscoverySettings>[] = [
    {},
    ...[1, 1.5].map((spread) => ({ spread })),
    ...[0.5, 1].map((headShare) => ({ headShare })),
    { minGain: 20 },
  ];
  for (const variant of variants) {
    const groups = await groupsOf(trial, { ...usualDiscovery, ...variant });
    console.log(`  ${JSON.stringify(variant).padEnd(20)} ${shownQuality(groups, trial)}`);
  }
  for (const { looseness, gain, members } of await groupsOf(trial)) {
    const { purity } = qualityOf([{ members }], trial.names, trial.names);
    console.log(
      `  ${members.length} pictures: looseness ${looseness.toFixed(2)}, gain ${gain.toFixed(0)}, purity ${percent(purity)} %`,
    );
  }
}

/** The groups, and what is recognised once each is registered under the class that most of it is of. */
async function report(trial: DiscoveryTrial): Promise<void> {
  const groups = await groupsOf(trial);
  console.log(`  ${shownQuality(groups, trial)}`);
  const clean = groups.filter(({ doubts }) => doubts.length === 0);
  console.log(`  without doubts: ${shownQuality(clean, trial)}`);
  const missing = missingNames(trial);
  const drafts = new Map<string, RuntimeClass>();
  for (const { members, attributes } of groups) {
    const { named } = qualityOf([{ members }], trial.names, missing);
    if (named === null || drafts.has(named)) continue; // a person names a class once: by its most certain group
    const examples = takeRows(
      trial.dataset.features,
      members.slice(0, examplesPerGroup).map((at) => trial.rows[at]),
    );
    const read = attributes.map(({ value, certainty }) => (certainty < 0.5 ? NaN : value));
    drafts.set(named, { name: named, attributes: read, examples });
  }
  const truth = new Map(
    trial.leftOut.map((label) => {
      const one = describe(trial.dataset, label);
      return [one.name, one];
    }),
  );
  const given = new Set(
    groups.flatMap(({ members }) => members.slice(0, examplesPerGroup).map((at) => trial.rows[at])),
  );
  const same = new Map([...truth].filter(([name]) => drafts.has(name)));
  await reportTop1('registered from drafts', [...drafts.values()], trial, given, [...drafts.keys()]);
  await reportTop1('the same, by true attributes', [...same.values()], trial, given, [...drafts.keys()]);
  await reportTop1('drafts, over all missing classes', [...drafts.values()], trial, given, missing);
  await reportTop1('all by true attributes', [...truth.values()], trial, given, missing);
}

/** All classes competing; pictures that became examples are not judged. */
async function reportTop1(
  what: string,
  classes: readonly RuntimeClass[],
  { bundle, added, dataset, rows, names, strange }: DiscoveryTrial,
  given: ReadonlySet<number>,
  judgedNames: readonly string[],
): Promise<void> {
  const fitter = await RuntimeFitter.open(bundle);
  const everyone = [...added, ...classes];
  const fit = await fitter.fit(everyone);
  await fitter.release();
  const served = everyone.map(({ name, attributes, examples }, c) => ({
    described: {
      ...{ name, attributes, seen: false, runtime: true },
      unseenShare: unseenShare(
        evidenceSettingsOf(bundle.manifest),
        examples?.rows ?? 0,
        !attributes.every(Number.isNaN),
      ),
    },
    row: fit.rows[c],
  }));
  const answers = await answersOf({ bundle, added: served }, dataset.features, rows);
  const right = (positions: readonly number[]): number =>
    positions.filter((at) => answers[at].class === names[at]).length / Math.max(1, positions.length);
  const judged = (name: string): number[] =>
    Array.from(rows.keys()).filter((at) => names[at] === name && !given.has(rows[at]));
  const perClass = judgedNames.map((name) => right(judged(name)));
  const isStrange = new Set(strange);
  const known = Array.from(rows.keys()).filter((at) => !isStrange.has(at));
  console.log(
    `  ${what.padEnd(34)} top-1 of ${judgedNames.length} classes ${percent(perClass.length === 0 ? 0 : mean(perClass))} %, of pictures of known classes ${percent(right(known))} %`,
  );
}

async function trained(dataset: Dataset, seed: number): Promise<string> {
  const out = join(folder, `bundle-${seed}`);
  const from = values.validation ? join(folder, `data-${seed}`) : data!;
  if (values.validation) await writeOpenForm(dataset, from);
  const main = new URL('../cli/main.js', import.meta.url).pathname;
  const args = [
    'train',
    '--data',
    from,
    '--out',
    out,
    '--seed',
    String(seed),
    '--hide-unseen',
    '--no-report',
  ];
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`training ended with ${String(status)}`);
  return out;
}
