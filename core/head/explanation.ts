/**
 * Why a class: the attributes that are read from a picture, compared with those of a class. Everything is standardised over the bundle's
 * classes: 0 is usual.
 *   a       attributes read from the picture, within the range that classes have (d)
 *   a_c     attributes of class c (d)
 *   r_k     mean squared error of reading attribute k for a class that is left out, as a share of its variance (d)
 *   s_k     1 - r_k: readings fall short, and of a class with a_ck they are s_k a_ck on average
 *   evidence_k(c) = mean over all classes c' of (a_k - s_k a_c'k)^2  -  (a_k - s_k a_ck)^2
 * Positive: in this attribute the picture fits the class better than classes do on average, so it speaks for the class. An attribute that
 * cannot be read (s_k near 0) is no evidence, and is not shown as such.
 *
 * Present is what is above usual, absent what is below: said only where it is sure, by a normal error with variance r_k.
 */
import type { Manifest } from '../bundle/manifest.js';
import { completeAttributes } from './attribute-completion.js';
import { familyOf, listInWords, optionOf, wordsOf } from './attribute-words.js';
import { ClassStatistics } from './class-statistics.js';
import type { CompetingClass, HeadTable } from './head-table.js';

/** Attributes as read from one picture. */
export interface AttributeReadings {
  readonly values: ArrayLike<number>; // (d), in the units in which the dataset gave them
  /** Null where it was not measured: then nothing is called present or absent. */
  readonly errors: ArrayLike<number> | null; // (d)
}

interface ExplainedAttribute {
  readonly attribute: string;
  /** In the units in which the dataset gave it, within the range that classes have. */
  readonly value: number;
  /** How far from the usual, in standard deviations over the classes. */
  readonly salience: number;
  /** The part of the differences between classes that can be read from a picture: 1 all, 0 nothing; null: not measured. */
  readonly certainty: number | null;
  /** Whether there is more of it than usual; null where that is not sure. */
  readonly present: boolean | null;
}

interface Evidence {
  readonly attribute: string;
  readonly read: number;
  readonly expected: number;
  readonly evidence: number;
  /** True where the class does not say it, and it was filled in from what it does say. */
  readonly filled?: true;
}

/** What is known of a class. */
interface Grounds {
  /** True when training had pictures of it. */
  readonly training: boolean;
  /** How many of its attributes are known. */
  readonly attributes: number;
  /** Pictures of it that were added while serving. */
  readonly pictures: number;
}

interface ClassEvidence {
  readonly class: string;
  readonly restsOn: Grounds;
  readonly for: readonly Evidence[];
  readonly against: readonly Evidence[];
  /** Both lists in words. */
  readonly sentence: string;
}

export interface Explanation {
  readonly attributes: readonly ExplainedAttribute[];
  /** What is surely present or absent, in words. */
  readonly sentence: string;
  readonly classes: readonly ClassEvidence[];
}

const listed = 5;
/** What speaks for a class is at most so much more unusual than the class, in standard deviations; readings fall short of it by themselves. */
const beyond = 0.5;
/** Of the strongest evidence: what is weaker than this share of it is not said. */
const weakest = 0.1;
/** Of classes from the usual, in standard deviations. */
const farthest = 3;
/** In a sentence. */
const named = 4;
/** An attribute of which less can be read is no evidence. */
const minCertainty = 0.1;
/** Present or absent is said with at least this probability. */
const sure = 0.9;

export class Explainer {
  private readonly names: readonly string[];
  private readonly places: ReadonlyMap<string, number>;
  private readonly statistics: ClassStatistics;
  private means: {
    readonly version: number;
    readonly first: Float64Array;
    readonly second: Float64Array;
  } | null = null;

  private readonly completed = new WeakMap<readonly number[], readonly number[]>();

  constructor(
    private readonly manifest: Manifest,
    private readonly table: HeadTable,
  ) {
    this.names = manifest.attributes.map(({ name }) => name);
    this.places = new Map(this.names.map((name, k) => [name, k]));
    this.statistics = new ClassStatistics(manifest.classes.map(({ attributes }) => attributes));
  }

  explain({ values, errors }: AttributeReadings, classes: readonly CompetingClass[]): Explanation {
    // Nothing outside of what classes have: no flower has -30 petals.
    const within = this.names.map((_, k) =>
      this.statistics.restored(k, this.statistics.standardised(k, values[k])),
    );
    const read = within.map((value, k) => this.statistics.standardised(k, value));
    const attributes = this.names
      .map((attribute, k) => {
        const error = errors ? errors[k] : null;
        const certainty = error === null ? null : Math.max(0, 1 - error);
        const salience = read[k];
        return { attribute, value: within[k], salience, certainty, present: presence(salience, error) };
      })
      .sort(byPresence);
    return {
      attributes,
      sentence: readSentence(attributes, this.isAmount),
      classes: classes.map((described) => this.evidence(read, within, errors, described)),
    };
  }

  private evidence(
    read: readonly number[],
    values: readonly number[],
    errors: ArrayLike<number> | null,
    described: CompetingClass,
  ): ClassEvidence {
    const { name, seen, attributes, examples: pictures = 0 } = described;
    const known = attributes.filter((value) => !Number.isNaN(value)).length;
    const restsOn = { training: seen, attributes: known, pictures };
    // Where nothing is known there is nothing to compare with.
    if (known === 0) return { class: name, restsOn, for: [], against: [], sentence: '' };
    const whole = this.complete(attributes);
    const { first, second } = this.moments();
    const all = this.names.flatMap((attribute, k) => {
      const certainty = errors ? 1 - errors[k] : 1;
      if (certainty < minCertainty) return [];
      const expected = this.limited(k, whole[k]);
      const short = certainty * expected;
      const usual = read[k] * read[k] - 2 * certainty * read[k] * first[k] + certainty ** 2 * second[k];
      const evidence = usual - (read[k] - short) ** 2;
      // Nearer than classes are on average may still be on the other side of what is usual, or far beyond the class: that is evidence for no class.
      const isAlike = read[k] * expected >= 0 && Math.abs(read[k]) - Math.abs(expected) <= beyond;
      if (evidence > 0 && !isAlike) return [];
      // A reading between what is usually read of the class and what it has says nothing against it.
      if (evidence < 0 && (read[k] - short) * (read[k] - expected) <= 0) return [];
      const filled = Number.isNaN(attributes[k]) && { filled: true as const };
      // Among what speaks for a class, what it has comes before what it lacks.
      return [
        {
          isPresent: read[k] > 0,
          shown: { attribute, read: values[k], expected: whole[k], evidence, ...filled },
        },
      ];
    });
    const strongest = (sign: 1 | -1): number =>
      all.reduce((most, { shown }) => Math.max(most, sign * shown.evidence), 0);
    // What little speaks against a class that much speaks for is not said; what speaks for a class is, however much there is against it.
    const least = { 1: weakest * strongest(1), [-1]: weakest * Math.max(strongest(1), strongest(-1)) };
    const best = (sign: 1 | -1) =>
      oneOfEachFamily(
        all
          .filter(({ shown }) => sign * shown.evidence > least[sign])
          .sort((a, b) => sign * (b.shown.evidence - a.shown.evidence)),
      ).slice(0, listed);
    const inFavour = best(1);
    const [forIt, against] = [
      [...inFavour.filter(({ isPresent }) => isPresent), ...inFavour.filter(({ isPresent }) => !isPresent)],
      best(-1),
    ];
    return {
      class: name,
      restsOn,
      for: forIt.map(({ shown }) => shown),
      against: against.map(({ shown }) => shown),
      sentence: sentenceOf(forIt, against, this.isAmount),
    };
  }

  /** First and second moment of each attribute over all classes that know it; cached until classes change. */
  private moments() {
    if (this.means?.version === this.table.version) return this.means;
    const first = new Float64Array(this.names.length);
    const second = new Float64Array(this.names.length);
    const counts = new Float64Array(this.names.length);
    const { classes, placesByName } = this.table;
    for (const place of placesByName) {
      const { attributes } = classes[place];
      for (let k = 0; k < attributes.length; k++) {
        if (Number.isNaN(attributes[k])) continue;
        const value = this.limited(k, attributes[k]);
        first[k] += value;
        second[k] += value * value;
        counts[k] += 1;
      }
    }
    for (let k = 0; k < counts.length; k++) {
      first[k] /= Math.max(1, counts[k]);
      second[k] /= Math.max(1, counts[k]);
    }
    this.means = { version: this.table.version, first, second };
    return this.means;
  }

  /** Standardised. An attribute that one class alone has lies ten deviations away: its square would drown whatever else is read. */
  private limited(k: number, value: number): number {
    return Math.min(farthest, Math.max(-farthest, this.statistics.standardised(k, value)));
  }

  /** What no class is without. */
  private readonly isAmount: IsAmount = (attribute) => {
    const k = this.places.get(attribute)!;
    return familyOf(attribute) === null && !this.statistics.isLacking(k);
  };

  private complete(attributes: readonly number[]): readonly number[] {
    const known = this.completed.get(attributes);
    if (known) return known;
    const { values } = completeAttributes(this.manifest, attributes);
    this.completed.set(attributes, values);
    return values;
  }
}

interface Weighed {
  readonly isPresent: boolean;
  readonly shown: Evidence;
}

/** True or false where it is sure, by a normal error of this variance. */
function presence(salience: number, error: number | null): boolean | null {
  if (error === null || salience === 0) return null;
  const probability = normalProbability(Math.abs(salience) / Math.sqrt(Math.max(error, 1e-6)));
  return probability >= sure ? salience > 0 : null;
}

/** Of a standard normal number to be at most x, for x >= 0 (Abramowitz and Stegun 26.2.17; error below 1e-7). */
export function normalProbability(x: number): number {
  const t = 1 / (1 + 0.2316419 * x);
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/** Surely present, then surely absent, then the rest; the most unusual first in each. */
function byPresence(a: ExplainedAttribute, b: ExplainedAttribute): number {
  const order = ({ present }: ExplainedAttribute): number => (present === null ? 2 : present ? 0 : 1);
  return order(a) - order(b) || Math.abs(b.salience) - Math.abs(a.salience);
}

/** Options of one family are read as one choice: the most telling one stands for it. */
function oneOfEachFamily(list: readonly Weighed[]): Weighed[] {
  const families = new Set<string>();
  return list.filter(({ shown: { attribute } }) => {
    const family = familyOf(attribute);
    if (family === null) return true;
    if (families.has(family)) return false;
    families.add(family);
    return true;
  });
}

/** Something that every class has more or less of, such as a length: neither is it there or not, nor is it an option. */
type IsAmount = (attribute: string) => boolean;

function readSentence(attributes: readonly ExplainedAttribute[], isAmount: IsAmount): string {
  const families = new Set<string>();
  const there = attributes
    .filter(({ present }) => present === true)
    .filter(({ attribute }) => isFirst(familyOf(attribute), families))
    .slice(0, named)
    .map(({ attribute }) => (isAmount(attribute) ? aboveUsual(attribute) : wordsOf(attribute)));
  const options = new Set<string>(); // an absent option leaves the others of its family open
  const missing = attributes
    .filter(({ present }) => present === false)
    .filter(({ attribute }) => isFirst(optionOf(attribute), options))
    .slice(0, named)
    .map(({ attribute }) => (isAmount(attribute) ? belowUsual(attribute) : `no ${wordsOf(attribute)}`));
  if (there.length + missing.length === 0) return 'Nothing can be read surely.';
  const parts = [
    ...(there.length > 0 ? [listInWords(there)] : []),
    ...(missing.length > 0 ? [missing.join(', ')] : []),
  ];
  return `${parts.join('; ')}.`;
}

const aboveUsual = (attribute: string): string => `${wordsOf(attribute)} above usual`;
const belowUsual = (attribute: string): string => `${wordsOf(attribute)} below usual`;

/** Whether it is the first of its kind; null is of none. */
function isFirst(kind: string | null, known: Set<string>): boolean {
  if (kind === null) return true;
  if (known.has(kind)) return false;
  known.add(kind);
  return true;
}

function sentenceOf(forIt: readonly Weighed[], against: readonly Weighed[], isAmount: IsAmount): string {
  const words = (list: readonly Weighed[], picked: (one: Weighed) => boolean): string[] =>
    list.filter(picked).map(({ shown }) => wordsOf(shown.attribute));
  const options = new Set<string>();
  const lacking = forIt.filter(
    ({ isPresent, shown }) =>
      !isPresent && !isAmount(shown.attribute) && isFirst(optionOf(shown.attribute), options),
  );
  const favour = [
    ...words(forIt, ({ isPresent, shown }) => isPresent && !isAmount(shown.attribute)),
    ...forIt
      .filter(({ shown }) => isAmount(shown.attribute))
      .map(({ isPresent, shown }) => (isPresent ? aboveUsual : belowUsual)(shown.attribute)),
    ...(lacking.length > 0
      ? [
          `little or no ${listInWords(
            words(lacking, () => true),
            'or',
          )}`,
        ]
      : []),
  ];
  // By what the class has: a reading above the usual one may still be far below that of the class, and then its absence speaks against it.
  const less = words(against, ({ shown }) => shown.read < shown.expected);
  const more = words(against, ({ shown }) => shown.read >= shown.expected);
  const doubts = [
    ...(less.length > 0 ? [`too little ${listInWords(less)}`] : []),
    ...(more.length > 0 ? [`too much ${listInWords(more)}`] : []),
  ];
  return [
    favour.length > 0 ? `For it: ${listInWords(favour)}.` : 'Nothing that can be read speaks for it.',
    doubts.length > 0 ? `Against it: ${doubts.join('; ')}.` : 'Nothing that can be read speaks against it.',
  ].join(' ');
}
