/** The attributes of a bundle's classes, standardised: what is usual of each attribute, and how classes differ from it. */
import { mean } from '../mean.js';
import { deviationBeyondRounding } from './attribute-encoder.js';

interface Column {
  readonly mean: number;
  readonly deviation: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** A dense system of this size takes some hundredths of a second; more classes hardly say more. */
const maxClasses = 400;
/** Of the largest value. */
const nextToNone = 0.05;

export class ClassStatistics {
  /** C */
  readonly count: number;
  /** d */
  readonly width: number;
  private readonly columns: readonly Column[]; // d
  private readonly rows: Float64Array; // (C, d)

  constructor(all: readonly (readonly number[])[]) {
    const classes = pickEvenly(all, maxClasses);
    this.count = classes.length;
    this.width = classes[0].length;
    this.columns = classes[0].map((_, k) => columnOf(classes.map((attributes) => attributes[k])));
    this.rows = new Float64Array(this.count * this.width);
    classes.forEach((attributes, c) => {
      attributes.forEach((value, k) => (this.rows[c * this.width + k] = this.standardised(k, value)));
    });
  }

  /** Attribute k of class c, standardised. */
  at(c: number, k: number): number {
    return this.rows[c * this.width + k];
  }

  /** An attribute that is the same for all classes says nothing. */
  standardised(k: number, value: number): number {
    const { mean, deviation } = this.columns[k];
    return deviation > 0 ? (value - mean) / deviation : 0;
  }

  /** Whether some class has none of it, or next to none. */
  isLacking(k: number): boolean {
    const { minimum, maximum } = this.columns[k];
    return minimum >= 0 && minimum <= nextToNone * maximum;
  }

  /** Back in the units of the attribute, and within what classes have of it. */
  restored(k: number, standardised: number): number {
    const { mean, deviation, minimum, maximum } = this.columns[k];
    return Math.min(maximum, Math.max(minimum, mean + deviation * standardised));
  }
}

function columnOf(values: readonly number[]): Column {
  const center = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return {
    mean: center,
    // The mean of twelve values of 0.1 is not 0.1: by its distance from it, any other value would be millions of deviations away.
    deviation: deviationBeyondRounding(deviation, largest),
    minimum: values.reduce((min, value) => Math.min(min, value), Infinity),
    maximum: values.reduce((max, value) => Math.max(max, value), -Infinity),
  };
}

export function pickEvenly<T>(list: readonly T[], limit: number): readonly T[] {
  if (list.length <= limit) return list;
  return Array.from({ length: limit }, (_, i) => list[Math.floor((i * list.length) / limit)]);
}
