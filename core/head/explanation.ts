/**
 * Why a class: the attributes that the predictor reads from a picture, compared with those of a class.
 *   a       attributes read from the picture, encoded (d)
 *   a_c     attributes of class c, encoded (d)
 *   evidence_k(c) = mean over all classes c' of (a_k - a_c'k)^2  -  (a_k - a_ck)^2
 * Positive: in this attribute the picture fits the class better than classes do on average, so it speaks for the class.
 */
import type { AttributeEncoding, Manifest } from '../bundle/manifest.js';
import { matrix } from '../matrix.js';
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
}

interface ClassEvidence {
  readonly class: string;
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

  constructor(
    { attributes, attributeEncoding, classes }: Manifest,
    private readonly table: HeadTable,
  ) {
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
    const expected = this.encode(described);
    const { first, second } = this.moments();
    const all = this.names.map((attribute, k) => {
      const usual = read[k] * read[k] - 2 * read[k] * first[k] + second[k];
      return {
        attribute,
        read: values[k],
        expected: described.attributes[k],
        evidence: usual - (read[k] - expected[k]) ** 2,
      };
    });
    all.sort((a, b) => b.evidence - a.evidence);
    return {
      class: described.name,
      for: all.slice(0, listed).filter(({ evidence }) => evidence > 0),
      against: all
        .slice(-listed)
        .reverse()
        .filter(({ evidence }) => evidence < 0),
    };
  }

  /** First and second moment of each encoded attribute over all classes; cached until classes change. */
  private moments() {
    if (this.means?.version === this.table.version) return this.means;
    const first = new Float64Array(this.names.length);
    const second = new Float64Array(this.names.length);
    const { classes, placesByName } = this.table;
    for (const place of placesByName) {
      const encoded = this.encode(classes[place]);
      for (let k = 0; k < encoded.length; k++) {
        first[k] += encoded[k] / classes.length;
        second[k] += (encoded[k] * encoded[k]) / classes.length;
      }
    }
    this.means = { version: this.table.version, first, second };
    return this.means;
  }

  private encode({ attributes }: CompetingClass): Float32Array {
    return encodeAttributes(this.encoding, matrix(1, attributes.length, Float32Array.from(attributes))).data;
  }
}
