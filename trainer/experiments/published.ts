/**
 * What others report, for comparison in the same table: the rows of "Zero-Shot Recognition via Optimal Transport" as it
 * prints them, and the best published figures on frozen ResNet-101 features. Percentages; null where nothing is given.
 */
export const benchmarks = ['awa1', 'awa2', 'cub', 'sun'] as const;
export type Benchmark = (typeof benchmarks)[number];

export interface PublishedRow {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

type Triple = readonly [unseen: number | null, seen: number | null, harmonic: number | null];
const none: Triple = [null, null, null];

/** Table 2: A_u, A_s and H on the proposed split, for AwA1, AwA2, CUB and SUN in turn. */
const generalized: readonly [string, Triple, Triple, Triple, Triple][] = [
  ['SJE', [11.3, 74.6, 19.6], [8.0, 73.9, 14.4], [23.5, 59.2, 33.6], [14.7, 30.5, 19.8]],
  ['LATEM', [7.3, 71.7, 13.3], [11.5, 77.3, 20.0], [15.2, 57.3, 24.0], [14.7, 28.8, 19.5]],
  ['SSE', [7.0, 80.5, 12.9], [8.1, 82.5, 14.8], [8.5, 46.9, 14.4], [2.1, 36.4, 4.0]],
  ['ESZSL', [6.6, 75.6, 12.1], [5.9, 77.8, 11.0], [12.6, 63.8, 21.0], [11.0, 27.9, 15.8]],
  ['DEVISE', [13.4, 68.7, 22.4], [17.1, 74.7, 27.8], [23.8, 53.0, 32.8], [16.9, 27.4, 20.9]],
  ['ALE', [16.8, 76.1, 27.5], [14.0, 81.8, 23.9], [23.7, 62.8, 34.4], [21.8, 33.1, 26.3]],
  ['SAE', [1.8, 77.1, 3.5], [1.1, 82.2, 2.2], [7.8, 54.0, 13.6], [8.8, 18.0, 11.8]],
  ['SYNC', [8.9, 87.3, 16.2], [10.0, 90.5, 18.0], [11.5, 70.9, 19.8], [7.9, 43.3, 13.4]],
  ['CVAE-ZSL', [null, null, 47.2], [null, null, 51.2], [null, null, 34.5], [null, null, 26.7]],
  ['RelationNet', [31.4, 91.3, 46.7], [30.0, 93.4, 45.3], [38.1, 61.1, 47.0], none],
  ['f-CLSWGAN', [57.9, 61.4, 59.6], none, [43.7, 57.7, 49.7], [42.6, 36.6, 39.4]],
  ['SGAL', [52.7, 75.7, 62.2], [55.1, 81.2, 65.6], [47.1, 44.7, 45.9], [42.9, 31.2, 36.1]],
  ['GDAN', none, [32.1, 67.5, 43.5], [39.3, 66.7, 49.5], [38.1, 89.9, 53.4]],
  ['CADA-VAE', [57.3, 72.8, 64.1], [55.8, 75.0, 63.9], [51.6, 53.5, 52.4], [47.2, 35.7, 40.6]],
  ['f-VAEGAN-D2', [57.6, 70.6, 63.5], none, [48.4, 60.1, 53.6], [45.1, 38.0, 41.3]],
  ['OT-ZSL (w/o f)', [57.8, 75.2, 65.4], [58.1, 76.0, 65.9], [44.2, 56.3, 49.5], [44.5, 50.6, 47.4]],
  ['OT-ZSL', [62.3, 80.5, 69.6], [60.6, 77.5, 68.0], [52.7, 68.0, 59.4], [52.7, 52.7, 54.8]],
];

/** Table 3: top-1 on the standard and on the proposed split, for the same datasets. */
type Pair = readonly [standard: number | null, proposed: number | null];
const standard: readonly [string, Pair, Pair, Pair, Pair][] = [
  ['SJE', [76.7, 65.6], [69.5, 61.9], [55.3, 53.9], [57.1, 53.7]],
  ['LATEM', [74.8, 55.1], [68.7, 55.8], [49.4, 49.3], [56.9, 55.3]],
  ['SSE', [68.8, 60.1], [67.5, 61.0], [43.7, 43.9], [54.5, 51.5]],
  ['ESZSL', [74.7, 58.2], [75.6, 58.6], [55.1, 53.9], [57.3, 54.5]],
  ['DEVISE', [72.9, 54.2], [68.6, 59.7], [53.2, 52.0], [57.5, 56.5]],
  ['ALE', [78.6, 59.9], [80.3, 62.5], [53.2, 54.9], [59.1, 58.1]],
  ['SAE', [80.6, 53.0], [80.2, 54.1], [33.4, 33.3], [42.4, 40.3]],
  ['SYNC', [72.2, 54.0], [71.2, 46.6], [54.1, 55.6], [59.1, 56.3]],
  ['CVAE-ZSL', [null, 71.4], [null, 65.8], [null, 52.1], [null, 61.7]],
  ['RelationNet', [null, 68.2], [null, 64.2], [55.6, null], [null, null]],
  ['f-CLSWGAN', [null, 68.2], [null, null], [null, 57.3], [null, 60.8]],
  ['LisGAN', [null, 70.6], [null, null], [null, 58.8], [null, 61.7]],
  ['f-VAEGAN-D2', [null, 71.1], [null, null], [null, 61.0], [null, 65.6]],
  ['LFGAA', [null, null], [null, 68.1], [null, 67.6], [null, 62.0]],
  ['OT-ZSL (w/o f)', [83.2, 72.7], [80.2, 71.4], [62.1, 59.2], [61.6, 63.4]],
  ['OT-ZSL', [86.2, 74.3], [84.5, 74.2], [66.7, 68.1], [66.3, 67.9]],
];

/** Table 5: top-1 in the transductive setting, on the standard split (SUN: 707/10). */
type Values = readonly [number | null, number | null, number | null, number | null];
const transductive: readonly [string, Values][] = [
  ['DSRL (VGG)', [87.2, null, 57.1, 85.4]],
  ['SSZSL (VGG)', [88.6, null, 49.9, 86.2]],
  ['SP-ZSR (VGG)', [92.1, null, 55.3, 89.5]],
  ['VZSL (VGG)', [94.8, null, 66.5, 87.8]],
  ['EF-ZSL (VGG)', [85.2, 80.8, 60.3, 64.5]],
  ['BiDiLEL (VGG/GoogleNet)', [95.0, null, 62.8, null]],
  ['OT-ZSL (w/o f, VGG)', [93.9, 94.3, 66.8, 84.2]],
  ['OT-ZSL (VGG)', [95.8, 95.0, 67.8, 88.1]],
  ['OT-ZSL (w/o f, ResNet)', [93.5, 93.6, 67.2, 85.8]],
  ['OT-ZSL (ResNet)', [95.6, 94.5, 68.8, 88.7]],
];

/** Best published H on frozen ResNet-101 features. */
const best: Readonly<Record<Benchmark, PublishedRow>> = {
  awa1: { name: 'HSVA', values: [null, null, 67.4] },
  awa2: { name: 'ZLAP', values: [null, null, 72.8] },
  cub: { name: 'TF-VAEGAN (312 attributes)', values: [null, null, 58.1] },
  sun: { name: 'f-CLSWGAN+DSP', values: [null, null, 45.5] },
};

export const tableNames = ['gzsl', 'szsl', 'tzsl', 'imagenet'] as const;
export type TableName = (typeof tableNames)[number];
export type BenchmarkSplit = 'proposed' | 'standard';

export const columnsOf: Readonly<Record<TableName, readonly string[]>> = {
  gzsl: ['unseen', 'seen', 'H'],
  szsl: ['top-1'],
  tzsl: ['top-1'],
  imagenet: ['top-1', 'top-5'],
};

/** The tables that have a column for each benchmark; that of ImageNet is about one dataset alone. */
type BenchmarkTable = Exclude<TableName, 'imagenet'>;

export function paperRows(
  table: BenchmarkTable,
  benchmark: Benchmark,
  split: BenchmarkSplit,
): PublishedRow[] {
  const at = benchmarks.indexOf(benchmark);
  const rows =
    table === 'gzsl'
      ? generalized.map(([name, ...values]) => ({ name, values: values[at] }))
      : table === 'szsl'
        ? standard.map(([name, ...values]) => ({ name, values: [values[at][split === 'standard' ? 0 : 1]] }))
        : transductive.map(([name, values]) => ({ name, values: [values[at]] }));
  return rows.filter(({ values }) => values.some((value) => value !== null));
}

export function bestPublished(table: BenchmarkTable, benchmark: Benchmark): PublishedRow[] {
  return table === 'gzsl' ? [best[benchmark]] : [];
}

/** Where the paper's own figures cannot be right, or say something else than they seem to. */
export function paperNotes(table: BenchmarkTable, benchmark: Benchmark): string[] {
  const notes: string[] = [];
  if (table === 'gzsl' && benchmark === 'sun')
    notes.push("The paper's SUN row cannot be right: A_u = A_s = 52.7 gives H = 52.7, not 54.8.");
  if (table === 'gzsl' && benchmark === 'awa1')
    notes.push("The paper's AwA1 row cannot be right: 62.3 and 80.5 give H = 70.2, not 69.6.");
  if (benchmark === 'cub')
    notes.push('The paper says "150 unseen and 50 seen classes" of CUB; it is 150 seen and 50 unseen.');
  if (table === 'tzsl')
    notes.push(
      'The paper uses the standard split for this table, and for SUN one of 707/10 classes; figures on another split do not compare directly.',
    );
  notes.push(
    "The paper's features are of ResNet-101; figures on other features show the method, not a record.",
  );
  return notes;
}

/** The benchmark whose name the dataset bears, if any: "CUB", "cub-200", "AwA 2 (xlsa17)", but not "Sunflowers". */
export function benchmarkNamed(name: string): Benchmark | undefined {
  return benchmarks.find((benchmark) => {
    const separated = Array.from(benchmark).join('[^a-z0-9]*');
    return new RegExp(`^[^a-z0-9]*${separated}(?![a-z])`).test(name.toLowerCase());
  });
}
