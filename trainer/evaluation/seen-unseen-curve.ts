/**
 * The seen-unseen curve (Chao et al., ECCV 2016): A_s against A_u as a bias on the unseen classes goes from -infinity
 * (every row is given to a seen class) to +infinity. Only the margins matter, so the sweep is exact: sorted by margin,
 * each row changes sides once, and each change moves one of the two accuracies by 1 / (rows of its class * classes).
 */
import { harmonicMean, type GeneralizedAccuracy, type Margins } from './metrics.js';

export interface CurvePoint extends GeneralizedAccuracy {
  /** A bias that gives this point; half-way to the next change of sides, so that it survives rounding. */
  readonly bias: number;
}

interface SeenUnseenCurve {
  readonly points: readonly CurvePoint[]; // bias ascending: A_u grows, A_s falls
  readonly area: number; // AUSUC, in 0 .. 1
  readonly best: CurvePoint; // of the highest H; the bias nearest to 0 among equals
}

/** Null where rows of seen or of unseen classes are missing: there is nothing to trade then. */
export function testCurve(margins: Margins): SeenUnseenCurve | null {
  const { isUnseen } = margins;
  return isUnseen.includes(0) && isUnseen.includes(1) ? seenUnseenCurve(margins) : null;
}

/** For rows of both kinds, as every validation fold has them. */
export function seenUnseenCurve(margins: Margins): SeenUnseenCurve {
  const { margin, isUnseen, isRight } = margins;
  const step = stepSizes(margins); // (N)
  const order = Array.from(margin.keys()).sort((a, b) => margin[a] - margin[b]);

  let [unseenAccuracy, seenAccuracy] = [0, 0];
  for (const row of order) if (!isUnseen[row] && isRight[row]) seenAccuracy += step[row];
  const points: CurvePoint[] = [];
  const addPoint = (bias: number): void => {
    // Sums of fractions drift by a few units in the last place; accuracies stay within 0 .. 1.
    const [unseen, seen] = [Math.min(1, unseenAccuracy), Math.max(0, Math.min(1, seenAccuracy))];
    points.push({
      bias,
      unseenAccuracy: unseen,
      seenAccuracy: seen,
      harmonicMean: harmonicMean(unseen, seen),
    });
  };

  addPoint(order.length > 0 ? margin[order[0]] - 1 : 0);
  for (let k = 0; k < order.length;) {
    const value = margin[order[k]];
    for (; k < order.length && margin[order[k]] === value; k++) {
      const row = order[k];
      if (!isRight[row]) continue;
      if (isUnseen[row]) unseenAccuracy += step[row];
      else seenAccuracy -= step[row];
    }
    addPoint(k < order.length ? between(value, margin[order[k]]) : value + 1);
  }
  return { points, area: areaUnder(points), best: bestOf(points) };
}

/** Per row 1 / (rows of its class * classes on its side). */
function stepSizes({ labels, isUnseen }: Margins): Float64Array {
  const rows = new Map<number, number>();
  const classes = [0, 0];
  for (let i = 0; i < labels.length; i++) {
    if (!rows.has(labels[i])) classes[isUnseen[i]] += 1;
    rows.set(labels[i], (rows.get(labels[i]) ?? 0) + 1);
  }
  return Float64Array.from(
    { length: labels.length },
    (_, i) => 1 / (rows.get(labels[i])! * classes[isUnseen[i]]),
  );
}

/** Above the lower margin (which has changed sides) and not above the upper one (which has not). */
function between(lower: number, upper: number): number {
  const middle = lower + (upper - lower) / 2;
  return middle > lower && middle <= upper ? middle : upper;
}

function areaUnder(points: readonly CurvePoint[]): number {
  let area = 0;
  for (let k = 1; k < points.length; k++) {
    const width = points[k].unseenAccuracy - points[k - 1].unseenAccuracy;
    area += (width * (points[k].seenAccuracy + points[k - 1].seenAccuracy)) / 2;
  }
  return area;
}

function bestOf(points: readonly CurvePoint[]): CurvePoint {
  return points.reduce((best, point) => {
    const gain = point.harmonicMean - best.harmonicMean;
    return gain > 0 || (gain === 0 && Math.abs(point.bias) < Math.abs(best.bias)) ? point : best;
  });
}
