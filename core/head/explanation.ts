/**
 * Why a class: the attributes that the predictor reads from a picture, compared with those of a class.
 *   a       attributes read from the picture, encoded (d)
 *   a_c     attributes of class c, encoded (d)
 *   evidence_k(c) = mean over all classes c' of (a_k - a_c'k)^2  -  (a_k - a_ck)^2
 * Positive: in this attribute the picture fits the class better than classes do on average, so it speaks for the class.
 */
import type { AttributeEncoding, Manifest } from '../bundle/manifest.js';
import { matrix } from '../matrix.js';
import { completeAttributes } from './attribute-completion.js';
import { decodeAttributes, encodeAttributes } from './attribute-encoder.js';
import type { CompetingClass, HeadTable } from './head-table.js';

interface ReadAttribute {
  readonly attribute: string;
  /** In the units in which the dataset gave it. */
  readonly value: number;
  /** How far from the usual, in standard deviations over the seen classes (or as encoded). */
  readonly salience: number;
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
export interface Grounds {
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
}

export interface Explanation {
  readonly attributes: readonly ReadAttribute[];
  readonly classes: readonly ClassEvidence[];
}

const listed = 5;

export class Explainer {
  private readonly names: readonly string[];
  private readonly encoding: AttributeEncoding;
  private readonly typicalLength: number;
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
    const { attributes, attributeEncoding, classes } = manifest;
    this.names = attributes.map(({ name }) => name);
    this.encoding = attributeEncoding;
    const lengths = classes.map(({ attributes: values }) => Math.hypot(...values));
    this.typicalLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  }

  explain(read: Float32Array, classes: readonly CompetingClass[]): Explanation {
    const values = decodeAttributes(this.encoding, read, this.typicalLength);
    const attributes = this.names
      .map((attribute, k) => ({ attribute, value: values[k], salience: read[k] }))
      .sort((a, b) => Math.abs(b.salience) - Math.abs(a.salience));
    return { attributes, classes: classes.map((described) => this.evidence(read, values, described)) };
  }

  private evidence(read: Float32Array, values: Float32Array, described: CompetingClass): ClassEvidence {
    const { name, seen, attributes, examples: pictures = 0 } = described;
    const known = attributes.filter((value) => !Number.isNaN(value)).length;
    const restsOn = { training: seen, attributes: known, pictures };
    if (known === 0) return { class: name, restsOn, for: [], against: [] }; // there is nothing to compare with
    const whole = this.complete(attributes);
    const expected = this.encode(whole);
    const { first, second } = this.moments();
    const all = this.names.map((attribute, k) => {
      const usual = read[k] * read[k] - 2 * read[k] * first[k] + second[k];
      return {
        attribute,
        read: values[k],
        expected: whole[k],
        evidence: usual - (read[k] - expected[k]) ** 2,
        ...(Number.isNaN(attributes[k]) && { filled: true as const }),
      };
    });
    all.sort((a, b) => b.evidence - a.evidence);
    return {
      class: name,
      restsOn,
      for: all.slice(0, listed).filter(({ evidence }) => evidence > 0),
      against: all
        .slice(-listed)
        .reverse()
        .filter(({ evidence }) => evidence < 0),
    };
  }

  /** First and second moment of each encoded attribute over all classes that know it; cached until classes change. */
  private moments() {
    if (this.means?.version === this.table.version) return this.means;
    const first = new Float64Array(this.names.length);
    const second = new Float64Array(this.names.length);
    const counts = new Float64Array(this.names.length);
    const { classes, placesByName } = this.table;
    for (const place of placesByName) {
      const { attributes } = classes[place];
      const isPartial = attributes.some(Number.isNaN);
      // Filling in all of thousands would take seconds, and says nothing that the others do not.
      const encoded = this.encode(isPartial ? attributes.map((value) => value || 0) : attributes);
      for (let k = 0; k < encoded.length; k++) {
        if (isPartial && Number.isNaN(attributes[k])) continue;
        first[k] += encoded[k];
        second[k] += encoded[k] * encoded[k];
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

  private complete(attributes: readonly number[]): readonly number[] {
    const known = this.completed.get(attributes);
    if (known) return known;
    const { values } = completeAttributes(this.manifest, attributes);
    this.completed.set(attributes, values);
    return values;
  }

  private encode(attributes: readonly number[]): Float32Array {
    return encodeAttributes(this.encoding, matrix(1, attributes.length, Float32Array.from(attributes))).data;
  }
}
