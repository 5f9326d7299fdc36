/** The features of our own form: in memory, or, when they are too large for it, left in their file and read in pieces. */
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { rowsBetween, type RowSource } from '../../core/matrix.js';
import { readNpyHeader, readNpyMatrix } from './npy.js';
import { manifestFile, type OpenFormManifest } from './open-form-schema.js';
import { cannotOpen, datasetInvalid } from './problems.js';
import { maxBytesInMemory, openStoredRows, type StoredShape } from './stored-rows.js';

export const featurePlaces = ['auto', 'memory', 'disk'] as const;

export interface FeaturePlace {
  /** Where features are held during training; auto keeps those below 1 GiB in memory. */
  readonly featuresIn?: (typeof featurePlaces)[number] | undefined;
  /** The folder for scratch files made from features on disk (default: the system's temporary folder). */
  readonly scratch?: string | undefined;
}

export async function readFeatures(
  directory: string,
  described: OpenFormManifest['features'],
  { featuresIn = 'auto', scratch = tmpdir() }: FeaturePlace,
): Promise<RowSource> {
  const path = join(directory, described.file);
  const shape = described.format === 'npy' ? await npyShape(path) : await rawShape(path, described);
  const { rows = shape.rows, columns = shape.columns } = described;
  if (rows !== shape.rows || columns !== shape.columns)
    throw datasetInvalid(directory, [
      `${described.file} is ${shape.rows} x ${shape.columns}, not ${rows} x ${columns} as ${manifestFile} says`,
    ]);
  const large = 4 * rows * columns > maxBytesInMemory;
  if (featuresIn === 'disk' || (featuresIn === 'auto' && large)) {
    if (shape.stored === null)
      throw new Failure(
        'dataset-invalid',
        `${path} cannot be read in pieces: it must hold <f2, <f4 or <f8 in C order. Save it again with numpy.save(path, numpy.ascontiguousarray(features, "float32")).`,
      );
    return openStoredRows(path, shape.stored, scratch);
  }
  if (described.format === 'npy') return readNpyMatrix(path);
  const stored = openStoredRows(path, shape.stored!, scratch);
  try {
    return rowsBetween(stored, 0, stored.rows);
  } finally {
    stored.release();
  }
}

interface FeaturesShape {
  readonly rows: number;
  readonly columns: number;
  /** Null for a file that is not row-major floats. */
  readonly stored: StoredShape | null;
}

async function npyShape(path: string): Promise<FeaturesShape> {
  const { shape, type, isFortran, start } = await readNpyHeader(path);
  if (shape.length !== 2)
    throw new Failure(
      'dataset-invalid',
      `${path} has ${shape.length} dimensions; features need two (rows, values).`,
    );
  const [rows, columns] = shape;
  const isStored = !isFortran && (type === '<f2' || type === '<f4' || type === '<f8');
  return { rows, columns, stored: isStored ? { rows, columns, type, start } : null };
}

/** Raw float32 has no header: the manifest says how many rows there are. */
async function rawShape(
  path: string,
  { rows = 0, columns = 0 }: OpenFormManifest['features'],
): Promise<FeaturesShape> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  if (size !== rows * columns * 4)
    throw new Failure(
      'dataset-invalid',
      `${path} has ${size} bytes; ${rows} x ${columns} float32 values need ${rows * columns * 4}.`,
    );
  return { rows, columns, stored: { rows, columns, type: '<f4', start: 0 } };
}
