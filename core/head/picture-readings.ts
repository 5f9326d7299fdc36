/**
 * The attributes of single pictures, with the error to expect: by what the real rows of seen classes teach (attribute-reading.ts), or, where
 * there are none, by the bundle's predictor, whose errors were not measured.
 */
import type { Bundle } from '../bundle/bundle.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, rowOf, rowsBetween, type Matrix } from '../matrix.js';
import { mean } from '../mean.js';
import { decodeAttributes } from './attribute-encoder.js';
import { AttributeReader } from './attribute-reading.js';
import type { AttributeReadings } from './explanation.js';

type ReadingBundle = Pick<Bundle, 'manifest' | 'predictor'> & {
  readonly replay?: Bundle['replay'] | undefined;
};

export class PictureReadings {
  private reader: AttributeReader | null = null;
  /** Opened when it is first asked: with real rows it never is. */
  private predictor: Promise<Session> | null = null;
  private readonly typicalLength: number;

  constructor(
    private readonly bundle: ReadingBundle,
    private readonly options: SessionOptions,
  ) {
    this.typicalLength = mean(bundle.manifest.classes.map(({ attributes }) => Math.hypot(...attributes)));
  }

  /** One for each mapped row. */
  async read(mapped: Matrix): Promise<AttributeReadings[]> {
    const { manifest, replay } = this.bundle;
    if (replay) this.reader ??= new AttributeReader({ manifest, replay }); // what it learns takes a moment: only where it is asked for
    const rows = Array.from({ length: mapped.rows }, (_, i) => i);
    if (!this.reader?.canRead) {
      const encoded = await this.predict(mapped);
      return rows.map((i) => ({
        values: decodeAttributes(manifest.attributeEncoding, rowOf(encoded, i), this.typicalLength),
        errors: null,
      }));
    }
    const { reader } = this;
    return rows.map((i) => {
      const { values, errors } = reader.read(rowsBetween(mapped, i, i + 1));
      return { values: Array.from(values, (value, k) => reader.statistics.restored(k, value)), errors };
    });
  }

  async release(): Promise<void> {
    await (await this.predictor)?.release();
  }

  /** (n, d), encoded */
  private async predict(mapped: Matrix): Promise<Matrix> {
    const width = this.bundle.manifest.attributes.length;
    const features = BoundTensor.floats([mapped.rows, mapped.columns], mapped.data);
    this.predictor ??= Session.open(this.bundle.predictor, this.options);
    const { attributes } = await (await this.predictor).run({ features });
    return matrix(mapped.rows, width, attributes.data as Float32Array);
  }
}
