/**
 * The history of a training run, from its log (`OUT.work/log.jsonl`) and from the metrics in the bundle. A resumed
 * run writes again what was done before it was stopped, so that the log is always that of the whole run.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Manifest } from '../../../core/bundle/manifest.js';
import { Failure } from '../../../core/failures.js';
import { biasOriginSchema, type BiasOrigin } from '../../evaluation/bias-origin.js';
import type {
  FoldFacts,
  HistoryFacts,
  MemberHistory,
  SeedFacts,
  ValidationTrial,
  RememberedBaseline,
} from '../report-data.js';

const figure = z.number().nullable(); // null: test rows are missing
const generalized = z.object({ unseenAccuracy: figure, seenAccuracy: figure, harmonicMean: figure });
const interval = z.tuple([z.number(), z.number()]).nullable();
const intervals = z.object({
  unseenAccuracy: interval,
  seenAccuracy: interval,
  harmonicMean: interval,
  top1: interval,
});
const evaluated = z.object({ generalized, ausuc: figure, standard: z.object({ top1: figure }) });

const rememberedBaseline = generalized
  .extend({
    standardAccuracy: figure,
    intervals: intervals.nullable().catch(null),
    withoutBias: z.object({ harmonicMean: figure }).nullable().catch(null),
    validation: z.object({ harmonicMean: z.number(), standardTop1: z.number() }).nullable().catch(null),
  })
  .nullable()
  .catch(null);

/** What `unseen train` leaves in a bundle's manifest; a bundle made by other means may lack any of it. */
const metricsSchema = z.object({
  evaluation: evaluated.optional().catch(undefined),
  baseline: rememberedBaseline,
  kernelRidge: rememberedBaseline,
  validation: z
    .array(
      z.object({
        setting: z.string(),
        value: z.number().nullable(),
        harmonicMean: z.number(),
        ausuc: z.number(),
        standardTop1: z.number(),
      }),
    )
    .catch([]),
  validationWarning: z.string().nullable().catch(null),
  biasOrigin: biasOriginSchema.nullable().catch(null),
});

export function remembered({ metrics }: Manifest): {
  baseline: RememberedBaseline | null;
  kernelRidge: RememberedBaseline | null;
  validation: ValidationTrial[];
  validationWarning: string | null;
  biasOrigin: BiasOrigin | null;
} {
  return metricsSchema.parse(metrics);
}

const finalLine = z.object({
  phase: z.literal('final'),
  seed: z.number(),
  member: z.number(),
  epoch: z.number(),
});
const evaluatedLine = evaluated.extend({ phase: z.literal('evaluated'), seed: z.number() });
const chosenShare = z.object({ generator: z.object({ share: z.number() }) });
const foldLine = z.object({
  phase: z.literal('validation'),
  seed: z.number().optional(), // logs of older releases have no seed and no share here
  share: z.number().optional(),
  fold: z.number(),
  harmonicMean: z.number(),
  ausuc: z.number(),
  standardTop1: z.number(),
});

/** Null when there is no log, or it is that of another run: `because` then says which. */
export async function readHistory(
  file: string,
  manifest: Manifest,
): Promise<{ history: HistoryFacts | null; because: string }> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { history: null, because: `there is no ${file}` };
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, i) => parsed(line, `${file}:${i + 1}`));
  const seeds = keep(lines, evaluatedLine).map(seedFacts);
  const own = seeds.find(({ seed }) => seed === manifest.seed);
  const expected = metricsSchema.parse(manifest.metrics).evaluation;
  if (!own || own.harmonicMean !== expected?.generalized.harmonicMean)
    return { history: null, because: `${file} is the log of another run` };
  const history = {
    members: members(lines, manifest.seed),
    folds: lastFolds(lines, manifest),
    seeds: [own, ...seeds.filter((other) => other !== own)],
  };
  return { history, because: '' };
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new Failure('usage', `${place} is not JSON: name the log.jsonl of a training run.`, {
      cause: error,
    });
  }
}

function keep<T>(lines: readonly unknown[], schema: z.ZodType<T>): T[] {
  return lines.flatMap((line) => {
    const result = schema.safeParse(line);
    return result.success ? [result.data] : [];
  });
}

function seedFacts({ seed, generalized: g, ausuc, standard }: z.infer<typeof evaluatedLine>): SeedFacts {
  const { unseenAccuracy, seenAccuracy, harmonicMean } = g;
  return { seed, unseenAccuracy, seenAccuracy, harmonicMean, ausuc, top1: standard.top1 };
}

function members(lines: readonly unknown[], seed: number): MemberHistory[] {
  const byMember = new Map<number, Record<string, number>[]>();
  for (const line of keep(lines, finalLine.loose())) {
    if (line.seed !== seed) continue;
    const values = Object.entries(line).filter(
      (entry): entry is [string, number] =>
        typeof entry[1] === 'number' && entry[0] !== 'seed' && entry[0] !== 'member',
    );
    byMember.set(line.member, [...(byMember.get(line.member) ?? []), Object.fromEntries(values)]);
  }
  return [...byMember].map(([member, epochs]) => ({ member, epochs }));
}

/** The settings chosen are judged last, on every fold: of the lines of the seed and the share that were saved, the last of each fold is theirs. */
function lastFolds(lines: readonly unknown[], { seed, configuration }: Manifest): FoldFacts[] {
  const chosen = chosenShare.safeParse(configuration).data?.generator.share;
  const last = new Map<number, FoldFacts>();
  for (const line of keep(lines, foldLine)) {
    const { fold, harmonicMean, ausuc, standardTop1 } = line;
    if ((line.seed ?? seed) !== seed || (line.share ?? chosen) !== chosen) continue;
    last.set(fold, { fold, harmonicMean, ausuc, standardTop1 });
  }
  return [...last.values()].sort((a, b) => a.fold - b.fold);
}
