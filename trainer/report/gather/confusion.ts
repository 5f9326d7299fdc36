/** Which class is confused with which, among all classes and with the model's bias. */
import { classMeanInterval } from '../../evaluation/intervals.js';
import { unseenMask } from '../../evaluation/judge-rows.js';
import type { ClassFacts, ConfusedPair, ConfusionFacts, ConfusionMatrix } from '../report-data.js';
import { similarOrder } from './similar-order.js';
import type { ReportContext } from './report-context.js';

const maxPairs = 40;
const maxRowsOfMatrix = 240; // classes or groups of classes; more rows could not be distinguished on a page
const maxCells = 15_000;

/** The class answered for each test row, by the rule of evaluation/metrics.ts: unseen when the bias is above the margin. */
function answers({ judged, unseenBias }: Pick<ReportContext, 'judged' | 'unseenBias'>): Int32Array {
  const { margin, bestSeen, bestUnseen } = judged;
  return bestSeen.map((label, i) => (unseenBias > margin[i] ? bestUnseen[i] : label));
}

/** How many rows of each class went where: counts.get(own)!.get(answer). */
type Counts = ReadonlyMap<number, ReadonlyMap<number, number>>;

export function confusion(context: ReportContext): { facts: ConfusionFacts; classes: ClassFacts[] } {
  const counts = count(context.testLabels, answers(context));
  return {
    facts: {
      outcomes: outcomes(context, counts),
      pairs: pairs(context, counts),
      matrix: cells(context, counts),
    },
    classes: classFacts(context, counts),
  };
}

function count(labels: Int32Array, given: Int32Array): Counts {
  const counts = new Map<number, Map<number, number>>();
  labels.forEach((own, i) => {
    const row = counts.get(own) ?? new Map<number, number>();
    counts.set(own, row);
    row.set(given[i], (row.get(given[i]) ?? 0) + 1);
  });
  return counts;
}

const sum = (row: ReadonlyMap<number, number>): number => [...row.values()].reduce((all, n) => all + n, 0);

function outcomes({ dataset }: ReportContext, counts: Counts): ConfusionFacts['outcomes'] {
  const isUnseen = unseenMask(dataset);
  return [true, false].flatMap((seen) => {
    const own = [...counts].filter(([label]) => (isUnseen[label] === 0) === seen);
    const all = own.reduce((total, [, row]) => total + sum(row), 0);
    if (all === 0) return [];
    const share = (counted: (label: number, answer: number) => boolean): number =>
      own.reduce(
        (total, [label, row]) =>
          total + [...row].reduce((part, [answer, n]) => part + (counted(label, answer) ? n : 0), 0),
        0,
      ) / all;
    return {
      seen,
      right: share((label, answer) => label === answer),
      sameSide: share((label, answer) => label !== answer && isUnseen[label] === isUnseen[answer]),
      otherSide: share((label, answer) => isUnseen[label] !== isUnseen[answer]),
    };
  });
}

function pairs({ dataset }: ReportContext, counts: Counts): ConfusedPair[] {
  const isUnseen = unseenMask(dataset);
  const all = [...counts].flatMap(([own, row]) =>
    [...row]
      .filter(([answer]) => answer !== own)
      .map(([answer, rows]) => ({
        of: dataset.classNames[own],
        ofSeen: isUnseen[own] === 0,
        as: dataset.classNames[answer],
        asSeen: isUnseen[answer] === 0,
        rows,
        share: rows / sum(row),
      })),
  );
  // Of two pairs with the same share, the one with more rows is the more reliable.
  return all.sort((a, b) => b.share - a.share || b.rows - a.rows).slice(0, maxPairs);
}

function classFacts({ dataset, evaluation }: ReportContext, counts: Counts): ClassFacts[] {
  const labelOf = new Map(dataset.classNames.map((name, label) => [name, label]));
  const seen = new Set(dataset.seen);
  return evaluation.perClass
    .map((facts) => {
      const own = labelOf.get(facts.name)!;
      const wrong = [...counts.get(own)!].filter(([answer]) => answer !== own);
      const [commonest] = wrong.sort(([, a], [, b]) => b - a);
      const mistakenFor = wrong.length > 0 && {
        name: dataset.classNames[commonest[0]],
        seen: seen.has(commonest[0]),
        share: commonest[1] / facts.rows,
      };
      const hits = counts.get(own)!.get(own) ?? 0;
      const interval = classMeanInterval([{ rows: facts.rows, hits }])!;
      return { ...facts, interval, mistakenFor: mistakenFor || null };
    })
    .sort((a, b) => a.accuracy - b.accuracy || b.rows - a.rows);
}

function cells({ dataset, attributes }: ReportContext, counts: Counts): ConfusionMatrix {
  const order = [dataset.seen, dataset.unseen].flatMap((side) => {
    return side.length > 0 ? similarOrder(attributes, side) : [];
  });
  const classesPerCell = Math.ceil(order.length / maxRowsOfMatrix);
  const placeOf = new Map(order.map((label, place) => [label, Math.floor(place / classesPerCell)]));
  const rowsOf = new Map<number, number>();
  const found = new Map<string, [number, number, number]>();
  for (const [own, row] of counts) {
    const place = placeOf.get(own)!;
    rowsOf.set(place, (rowsOf.get(place) ?? 0) + sum(row));
    for (const [answer, rows] of row) {
      const at = placeOf.get(answer)!;
      const cell = found.get(`${place} ${at}`) ?? [place, at, 0];
      found.set(`${place} ${at}`, cell);
      cell[2] += rows;
    }
  }
  const shares = [...found.values()].map(
    ([place, at, rows]) => [place, at, rows / rowsOf.get(place)!] as const,
  );
  shares.sort((a, b) => b[2] - a[2]);
  return {
    classes: order.map((label) => dataset.classNames[label]),
    seenClasses: dataset.seen.length,
    classesPerCell,
    cells: shares.slice(0, maxCells),
    cellsLeftOut: Math.max(0, shares.length - maxCells),
  };
}
