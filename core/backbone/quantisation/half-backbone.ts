import { Failure } from '../../failures.js';
import { sha256Of } from '../../hash.js';
import { backboneOf, modelBytes, type Backbone, type BackboneInMemory } from '../backbone.js';
import { metadataOf } from './metadata.js';
import { writeHalf } from './write-half.js';

/**
 * The same network in half precision, made in memory: it keeps its name, and has a hash of its own. It takes less than a second, and
 * nothing has to be calibrated, so no file of it is kept.
 */
export async function halfPrecision(float: Backbone): Promise<BackboneInMemory> {
  const model = writeHalfOf(float, await modelBytes(float));
  const { folder } = float;
  return {
    ...backboneOf({ ...float.entry, sha256: sha256Of(model) }, model),
    ...(folder !== undefined && { folder }),
    precision: 'fp16',
  };
}

function writeHalfOf(float: Backbone, bytes: Uint8Array): Uint8Array {
  try {
    return writeHalf(bytes, metadataOf(float));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${float.entry.name}: ${error.message}`, { cause: error });
  }
}
