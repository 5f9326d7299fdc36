/**
 * A grid of settings, each judged on validation classes. Every (point, fold) is a unit of its own with a file of its own, so
 * that many processes or the pods of an indexed Job share one directory: unit u, counted from 0, belongs to share u mod N + 1.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import type { Watcher } from '../../core/progress.js';
import { mean } from '../../core/mean.js';
import type { Dataset } from '../datasets/dataset.js';
import { fewShotClasses } from '../datasets/few-shot.js';
import { fingerprint } from '../datasets/fingerprint.js';
import type { Shard } from '../shard.js';
import type { Engine } from '../engine/contract.js';
import { fileCheckpoints } from '../generator/checkpoint.js';
import { requireTrainable } from '../preparation/require-trainable.js';
import { takeFewShot } from '../preparation/take-few-shot.js';
import { foldPlan, requireFolds } from '../selection/fold-plan.js';
import { validateOnFold } from '../selection/validate.js';
import { writeFileAtomically } from '../write-file-atomically.js';
import type { GridPoint } from './sweep-grid.js';
import { Timekeeper } from './timekeeper.js';

interface SweepRequest {
  readonly dataset: Dataset;
  readonly points: readonly GridPoint[];
  readonly seed: number;
  readonly engine: Engine;
  readonly out: string;
  readonly shard: Shard;
  readonly watcher: Watcher;
}

/** The result of one point on one fold; fractions of 1. */
interface UnitResult {
  readonly key: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly fold: number;
  readonly folds: number;
  readonly harmonicMean: number; // at the fold's own best bias
  readonly standardTop1: number;
  readonly ausuc: number;
}

export interface SweepRow {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly harmonicMean: number; // mean over the folds that are done
  readonly standardTop1: number;
  readonly ausuc: number;
  readonly folds: number; // done
  readonly foldsInAll: number;
}

export async function sweep(request: SweepRequest): Promise<void> {
  const { engine, watcher, seed, shard, out } = request;
  const points = request.points.map((point) => {
    const dataset = takeFewShot(request.dataset, point.configuration);
    requireTrainable(dataset, point.configuration);
    return { ...point, dataset };
  });
  mkdirSync(out, { recursive: true });
  const data = fingerprint(request.dataset);
  const units = points.flatMap((point) => {
    const { folds } = requireFolds(foldPlan(point.dataset, point.configuration));
    return Array.from({ length: folds }, (_, fold) => ({ point, fold, folds }));
  });
  const own = units.filter((_, u) => u % shard.of === shard.number - 1);
  const time = new Timekeeper(
    own.map(() => 'fold'),
    watcher,
  );
  for (const { point, fold, folds } of own) {
    const { features, generator, head, validation, transductive } = point.configuration;
    const { classFraction, rowFraction } = validation;
    const decisive: unknown[] = [
      features,
      generator,
      head,
      transductive,
      classFraction,
      rowFraction,
      seed,
      engine.name,
    ];
    const fewShot = fewShotClasses(point.dataset);
    if (fewShot.length > 0) decisive.push(Array.from(fewShot));
    const key = sha256Of(data, JSON.stringify(decisive)).slice(0, 24);
    const file = join(out, `${key}-fold${fold}.json`);
    await time.step('fold', `${JSON.stringify(point.settings)}, fold ${fold + 1}`, async () => {
      if (existsSync(file)) return;
      const checkpoint = (member: number): string =>
        join(out, `${key}-fold${fold}-member${member}.checkpoint`);
      const [found] = await validateOnFold(point.dataset, point.configuration, {
        engine,
        seed,
        watcher,
        fold,
        foldSeed: 0,
        shares: [generator.share],
        label: `fold ${fold + 1}`,
        checkpoints: (member) => fileCheckpoints(checkpoint(member), key),
      });
      const { bestHarmonicMean: harmonicMean, standardTop1, ausuc } = found;
      const result: UnitResult = {
        key,
        settings: point.settings,
        fold,
        folds,
        harmonicMean,
        standardTop1,
        ausuc,
      };
      writeFileAtomically(file, JSON.stringify(result));
      for (let member = 0; member < generator.members; member++) rmSync(checkpoint(member), { force: true });
    });
  }
}

/** All finished results of a directory, best H first. */
export function mergeSweep(out: string): SweepRow[] {
  if (!existsSync(out)) throw new Failure('usage', `There is no sweep at ${out}.`);
  const results = readdirSync(out)
    .filter((name) => /^[0-9a-f]{24}-fold\d+\.json$/.test(name))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(out, name), 'utf8')) as UnitResult);
  const byKey = new Map<string, UnitResult[]>();
  for (const result of results) byKey.set(result.key, [...(byKey.get(result.key) ?? []), result]);
  const rows = [...byKey.values()].map((folds) => {
    return {
      settings: folds[0].settings,
      harmonicMean: mean(folds.map((result) => result.harmonicMean)),
      standardTop1: mean(folds.map((result) => result.standardTop1)),
      ausuc: mean(folds.map((result) => result.ausuc)),
      folds: folds.length,
      foldsInAll: folds[0].folds,
    };
  });
  return rows.sort((a, b) => b.harmonicMean - a.harmonicMean);
}
