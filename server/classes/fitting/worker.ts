/** The process in which rows are fitted, at a lower priority than those that answer pictures. */
import { getPriority } from 'node:os';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { lowerPriority } from '../../../core/channel/lower-priority.js';
import { parentProcess } from '../../../core/channel/processes.js';
import { serveRequests } from '../../../core/channel/serve.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import type { EstimatedAttributes } from '../../../core/head/attribute-completion.js';
import type { HeadChange } from '../../../core/head/head-change.js';
import { rowOf } from '../../../core/matrix.js';
import { adaptTo, discoverIn } from './adapt-to-pool.js';
import type {
  AskedEstimates,
  ClassEdits,
  ConsolidatedRows,
  FittedEdits,
  FittingRequests,
  PoolPart,
} from './protocol.js';

lowerPriority(getPriority()); // whoever started this process has lowered that of its first thread
let fitter: RuntimeFitter | undefined;
let bundleOf: Bundle | undefined;
let bundleClasses: readonly string[] = [];
/** As in the registry. */
let classes = new Map<string, RuntimeClass>();
/** As they will be in the registry when the edits fitted last are stored. */
let edited: Map<string, RuntimeClass> | null = null;
/** What an adaptation, or a search for missing classes, is asked about. */
const pool: PoolPart[] = [];
const served: HeadChange['put'][number][] = [];

async function fit({ upserts, removals }: ClassEdits): Promise<FittedEdits> {
  const next = new Map(classes);
  for (const name of removals) next.delete(name);
  for (const described of upserts) next.set(described.name, described);
  const list = [...next.values()];
  const { rows, changed, converged } = await fitter!.fit(list);
  list.forEach((described, i) => next.set(described.name, { ...described, row: rows[i] }));
  edited = next;
  return { rows: changed.map((i) => ({ name: list[i].name, ...rows[i] })), converged };
}

async function consolidate(): Promise<ConsolidatedRows> {
  const list = [...classes.values()];
  const { base, rows, before, after, isBetter } = await fitter!.consolidate(list);
  return {
    before,
    after,
    isBetter,
    rows: rows.map((row, i) => ({ name: list[i].name, ...row })),
    base: bundleClasses.map((name, c) => ({
      name,
      weights: rowOf(base.weights, c).slice(),
      bias: base.bias[c],
    })),
  };
}

async function estimate({ candidates, isWeighed }: AskedEstimates): Promise<EstimatedAttributes[]> {
  const estimates: EstimatedAttributes[] = [];
  for (const candidate of candidates) estimates.push(await fitter!.estimate(candidate, isWeighed));
  return estimates;
}

serveRequests<FittingRequests>(parentProcess(), {
  async start({ bundle, threads, classes: all }) {
    bundleOf = bundle;
    bundleClasses = bundle.manifest.classes.map(({ name }) => name);
    classes = new Map(all.map((described) => [described.name, described]));
    fitter = await RuntimeFitter.open(bundle, { threads });
  },
  mirror({ put, removed }) {
    for (const name of removed) classes.delete(name);
    for (const described of put) classes.set(described.name, described);
    edited = null; // was fitted to what is no longer there
  },
  fit,
  adopt() {
    if (!edited) throw new Error('no edits were fitted since the classes last changed');
    classes = edited;
    edited = null;
  },
  consolidate,
  confusion: (candidate) => fitter!.confusion(candidate, [...classes.values()]),
  addPool(part) {
    pool.push(part);
  },
  addServed(put) {
    served.push(...put);
  },
  adapt: () => adaptTo(pool, served, [...classes.values()], fitter!, bundleOf!),
  discover: () => discoverIn(pool, served, bundleOf!),
  estimate,
});
