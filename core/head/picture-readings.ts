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
  private readonly typicalLength: number;

  private constructor(
    private readonly bundle: ReadingBundle,
    private readonly predictor: Session,
  ) {
    this.typicalLength = mean(bundle.manifest.classes.map(({ attributes }) => Math.hypot(...attributes)));
  }

  static async open(bundle: ReadingBundle, options: SessionOptions): Promise<PictureReadings> {
    return new PictureReadings(bundle, await Session.open(bundle.predictor, options));
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

  release(): Promise<void> {
    return this.predictor.release();
  }

  /** (n, d), encoded */
  private async predict(mapped: Matrix): Promise<Matrix> {
    const width = this.bundle.manifest.attributes.length;
    const features = BoundTensor.floats([mapped.rows, mapped.columns], mapped.data);
    const { attributes } = await this.predictor.run({ features });
    return matrix(mapped.rows, width, attributes.data as Float32Array);
  }
}
