/**
 * What the fitting process finds in a pool of unlabelled pictures. An adaptation: what they say of the classes, head rows fitted
 * with it, and what these would change. Missing classes: groups of pictures that belong to none.
 */
import { DriftMeter } from '../../../core/adaptation/drift.js';
import { HeadAnswers } from '../../../core/adaptation/effect.js';
import { foldedBias } from '../../../core/adaptation/folded-bias.js';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { discoverClasses } from '../../../core/discovery/discover-classes.js';
import type { Discovery } from '../../../core/discovery/discovery.js';
import type { RuntimeFitter } from '../../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import { fromHalf } from '../../../core/half.js';
import { HalfRows } from '../../../core/half-rows.js';
import { FeatureMapper } from '../../../core/head/feature-map.js';
import { bundleRows, type HeadChange } from '../../../core/head/head-change.js';
import { HeadTable, type HeadRow } from '../../../core/head/head-table.js';
import { matrix, piecesOf, type Matrix, type RowSource } from '../../../core/matrix.js';
import type { NamedRow } from '../store/contract.js';
import type { AdaptedRows, PoolPart } from './protocol.js';

const options = { threads: 1 };

type ServedRows = HeadChange['put'];

/** `classes`: those added while serving, as they were fitted, without what an earlier adaptation made of them. */
export async function adaptTo(
  pool: readonly PoolPart[],
  served: ServedRows,
  classes: readonly RuntimeClass[],
  fitter: RuntimeFitter,
  bundle: Bundle,
): Promise<AdaptedRows> {
  const features = new HalfRows(
    pool.map((part) => part.features),
    bundle.manifest.featureMap.width,
  );
  const found = await fitter.adapt(classes, features);
  const rows = await fittedRows(found, classes, fitter, bundle);
  return {
    found: {
      ...found,
      classes: found.classes.map(({ name, seen, pictures, byMistake, moved, assigned }) => {
        return { name, seen, pictures, byMistake, moved: assigned ? moved : 0 }; // 1 - cosine of equal rows rounds to above 0
      }),
    },
    rows,
    ...(await effectOf(rows, features, served, classes, bundle)),
  };
}

export function discoverIn(
  pool: readonly PoolPart[],
  served: ServedRows,
  bundle: Bundle,
): Promise<Discovery> {
  const { width, mappedWidth } = bundle.manifest.featureMap;
  return discoverClasses(bundle, tableOf(served, mappedWidth), stacked(pool, width), options);
}

async function fittedRows(
  found: Awaited<ReturnType<RuntimeFitter['adapt']>>,
  classes: readonly RuntimeClass[],
  fitter: RuntimeFitter,
  { manifest }: Bundle,
): Promise<NamedRow[]> {
  const assigned = new Map(
    found.classes.flatMap(({ name, assigned: it }) => (it ? [[name, it] as const] : [])),
  );
  if (assigned.size === 0) return [];
  const given = new Set(classes.map(({ name }) => name));
  const all: RuntimeClass[] = [
    ...classes.map(({ row, ...described }) => {
      const evidence = assigned.get(described.name);
      if (evidence) return { ...described, assigned: evidence }; // without its row, as a class that is new
      return row ? { ...described, row } : described;
    }),
    ...manifest.classes.flatMap(({ name, attributes }) => {
      const evidence = given.has(name) ? undefined : assigned.get(name);
      return evidence ? [{ name, attributes, assigned: evidence }] : [];
    }),
  ];
  const { rows, changed } = await fitter.fit(all);
  const names = new Set([...manifest.classes, ...classes].map(({ name }) => name));
  const competing = names.size - manifest.classes.filter(({ seen }) => seen).length;
  return changed.map((i) => {
    const { name, attributes, examples } = all[i];
    const served = { name, attributes, ...(examples && { examples }) };
    const bias = foldedBias(manifest, all[i], served, rows[i].bias, competing); // the bias on unseen classes fades with what was assigned
    return { name, weights: rows[i].weights, bias };
  });
}

async function effectOf(
  rows: readonly NamedRow[],
  features: RowSource,
  served: ServedRows,
  classes: readonly RuntimeClass[],
  bundle: Bundle,
): Promise<Pick<AdaptedRows, 'before' | 'after' | 'seenRows' | 'drift'>> {
  const { manifest, replay } = bundle;
  const mapper = await FeatureMapper.open(bundle.featureMap, manifest.featureMap.mappedWidth, options);
  const heads = await HeadAnswers.open(bundle, options);
  try {
    const now = tableOf(served, manifest.featureMap.mappedWidth);
    // Below an adaptation that is in force lie the rows that its classes had before.
    const plain = new Map<string, HeadRow>(
      bundleRows(bundle).map(({ described, row }) => [described.name, row]),
    );
    for (const { name, row } of classes) if (row) plain.set(name, row);
    for (const { name, weights, bias } of rows) plain.set(name, { weights, bias });
    const then = tableOf(
      served.map(({ described, row }) => ({ described, row: plain.get(described.name) ?? row })),
      manifest.featureMap.mappedWidth,
    );
    const truth = Array.from(replay.labels, (label) => manifest.classes[label].name);
    const right = async (table: HeadTable): Promise<number> => {
      const answers = await heads.answers(table, replay.features);
      return answers.filter((answer, i) => answer === truth[i]).length / Math.max(1, truth.length);
    };
    const [before, after]: string[][] = [[], []];
    const meter = new DriftMeter(bundle);
    for (const piece of piecesOf(features)) {
      const mapped = await mapper.map(piece);
      before.push(...(await heads.answers(now, mapped)));
      after.push(...(await heads.answers(then, mapped)));
      meter.add(mapped);
    }
    return {
      before,
      after,
      seenRows: { rows: truth.length, before: await right(now), after: await right(then) },
      drift: meter.drift(),
    };
  } finally {
    await heads.release();
    await mapper.release();
  }
}

function tableOf(served: ServedRows, width: number): HeadTable {
  const table = new HeadTable(width, served.length);
  for (const { described, row } of served) table.put(described, row);
  return table;
}

function stacked(pool: readonly PoolPart[], width: number): Matrix {
  const all = matrix(
    pool.reduce((sum, { rows }) => sum + rows, 0),
    width,
  );
  let at = 0;
  for (const { features } of pool) {
    all.data.set(fromHalf(features), at);
    at += features.length;
  }
  return all;
}
