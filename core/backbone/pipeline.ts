/**
 * Pictures in, features out, with decoding overlapping inference: while the network runs one batch, the next ones are
 * being decoded. Memory is bounded by the number of batches in flight, whatever the number of pictures.
 *
 * A picture's place in its batch depends on its index alone. So its features are the same to the bit, whether or not
 * other pictures of the batch are unreadable.
 */
import { readFile } from 'node:fs/promises';
import { Failure } from '../failures.js';
import { limiter, type Limiter } from '../limiter.js';
import type { Matrix } from '../matrix.js';
import { stopIfAsked } from '../stop.js';
import type { FeatureSource } from './extractor.js';
import { pictureSize, toTensor, type Preprocessing } from './picture-tensor.js';
import { decode, type PictureLimits } from './preprocess.js';

export interface PictureInput {
  /** Identifies it in messages. */
  readonly name: string;
  /** A path, or the bytes of the file. */
  readonly content: string | Uint8Array;
}

export interface PictureProblem {
  readonly index: number;
  readonly name: string;
  readonly reason: string;
}

interface FinishedBatch {
  /** Index of its first picture. */
  readonly start: number;
  /** One row per picture; the row of a picture with a problem is meaningless. */
  readonly features: Matrix;
  readonly problems: readonly PictureProblem[];
}

interface PipelineOptions {
  readonly preprocessing: Preprocessing;
  readonly limits?: PictureLimits;
  readonly signal?: AbortSignal;
  /** Pictures being decoded at a time; libuv has four threads for it unless UV_THREADPOOL_SIZE is set. */
  readonly decodesInFlight?: number;
}

interface PreparedBatch {
  readonly start: number;
  readonly count: number;
  readonly data: Float32Array<ArrayBuffer>;
  readonly problems: PictureProblem[];
}

const batchesDecodedAhead = 2;
const batchesInInference = 2; // so that the next one waits in the thread when one is done

export async function* featuresOf(
  pictures: readonly PictureInput[],
  source: FeatureSource,
  options: PipelineOptions,
): AsyncGenerator<FinishedBatch> {
  const { batchSize } = source;
  const slots = limiter(options.decodesInFlight ?? 4);
  const preparing: Promise<PreparedBatch>[] = [];
  const running: Promise<FinishedBatch>[] = [];
  let next = 0;
  try {
    while (next < pictures.length || preparing.length > 0 || running.length > 0) {
      if (options.signal) stopIfAsked(options.signal);
      for (; next < pictures.length && preparing.length < batchesDecodedAhead; next += batchSize)
        preparing.push(quietly(prepareBatch(pictures, next, source, options, slots)));
      if (preparing.length > 0 && running.length < batchesInInference) {
        running.push(quietly(infer(await preparing.shift()!, source)));
        continue;
      }
      yield await running.shift()!;
    }
  } finally {
    await Promise.allSettled([...preparing, ...running]); // a caller that stops early leaves no work running in the background
  }
}

async function prepareBatch(
  pictures: readonly PictureInput[],
  start: number,
  source: FeatureSource,
  { preprocessing, limits }: PipelineOptions,
  slots: Limiter,
): Promise<PreparedBatch> {
  const size = pictureSize(preprocessing);
  const data = source.takeBuffer?.() ?? new Float32Array(source.batchSize * size);
  const chosen = pictures.slice(start, start + source.batchSize);
  const problems: PictureProblem[] = [];
  const prepareOne = async ({ name, content }: PictureInput, slot: number): Promise<void> => {
    const target = data.subarray(slot * size, (slot + 1) * size);
    try {
      const bytes = typeof content === 'string' ? await readPicture(content, name) : content;
      toTensor(await decode(bytes, name, preprocessing, limits), preprocessing, target);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      target.fill(0);
      problems.push({ index: start + slot, name, reason: error.message });
    }
  };
  await Promise.all(chosen.map((picture, slot) => slots(() => prepareOne(picture, slot))));
  data.fill(0, chosen.length * size);
  problems.sort((a, b) => a.index - b.index);
  return { start, count: chosen.length, data, problems };
}

async function infer(
  { start, count, data, problems }: PreparedBatch,
  source: FeatureSource,
): Promise<FinishedBatch> {
  return { start, features: await source.features(data, count), problems };
}

async function readPicture(path: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Failure('image-invalid', `${name} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** A promise that is awaited later must not count as unhandled when it fails before that. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
