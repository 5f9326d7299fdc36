/** One adaptation in a process of its own, for adaptation-cost.ts: BUNDLE FEATURES PICTURES file|memory. */
import { dirname } from 'node:path';
import { readBundle } from '../../core/bundle/read.js';
import { toHalf } from '../../core/half.js';
import { HalfRows } from '../../core/half-rows.js';
import { passingPiecesOf, type RowSource } from '../../core/matrix.js';
import { adaptBundle } from '../../trainer/adaptation/adapt-bundle.js';
import { openStoredRows } from '../../trainer/datasets/stored-rows.js';

export interface AdaptationCost {
  readonly seconds: number;
  readonly before: number; // MiB
  readonly peak: number;
  readonly moved: number;
}

const [path, features, pictures, where] = process.argv.slice(2);
const bundle = await readBundle(path);
const shape = {
  rows: Number(pictures),
  columns: bundle.manifest.featureMap.width,
  type: '<f4',
  start: 0,
} as const;
const stored = openStoredRows(features, shape, dirname(features));
const rows = where === 'memory' ? halvesOf(stored) : stored;
const before = process.memoryUsage.rss() / 2 ** 20;
const started = performance.now();
const { adaptation } = await adaptBundle(bundle, rows, { threads: 1 });
const cost: AdaptationCost = {
  seconds: (performance.now() - started) / 1000,
  before,
  peak: process.resourceUsage().maxRSS / 1024,
  moved: adaptation.classes.filter(({ assigned }) => assigned !== null).length,
};
console.log(JSON.stringify(cost));

function halvesOf(source: RowSource): HalfRows {
  const parts = Array.from(passingPiecesOf(source), ({ data }) => toHalf(data));
  return new HalfRows(parts, source.columns);
}
