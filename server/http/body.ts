/** Reads a request's body: bounded in size, in time, in how slowly it may come, and in the memory that all bodies take. */
import type { Request, Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Upload } from './upload-budget.js';

export interface BodyLimits {
  readonly bytes: number;
  readonly seconds: number;
  /** A body that comes more slowly, for a few seconds, is ended. */
  readonly bytesPerSecond: number;
  /** For the refusal of what is too large: what is limited, and what to do instead. */
  readonly size?: { readonly of: string; readonly advice: string };
}

/** Over how long the pace of a body is measured: a connection may stall for a moment. */
const paceSeconds = 3;

export function bodyLimits(
  settings: Pick<ServerConfiguration, 'bodySeconds' | 'bodyBytesPerSecond'>,
  megabytes: number,
): BodyLimits {
  const { bodySeconds: seconds, bodyBytesPerSecond: bytesPerSecond } = settings;
  return { bytes: Math.round(megabytes * 1e6), seconds, bytesPerSecond };
}

/**
 * Hands the body to `consume` while it arrives. Fails when it is too large or too slow, when there is no room for it, or when the
 * client goes away; then nothing more of it is read.
 */
export async function receiveBody<T>(
  request: Request,
  response: Response,
  limits: BodyLimits,
  upload: Upload,
  consume: (request: Request) => Promise<T>,
): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw tooLarge(limits);
  refuseCoded(request);
  const watch = watchArrival(request, limits, upload);
  // A client that asked whether to send (Expect: 100-continue) is told to continue only now.
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  try {
    return await Promise.race([consume(request), watch.failed]);
  } catch (error) {
    stopReading(request);
    throw error;
  } finally {
    watch.end();
  }
}

/** Nothing is unpacked here: a few bytes may be gigabytes. */
function refuseCoded({ headers }: Request): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new Failure(
      'request-invalid',
      'Bodies with a Content-Encoding are not accepted. Send it as it is, without that header.',
    );
}

/** `failed` rejects as soon as the body may not go on. */
function watchArrival(request: Request, limits: BodyLimits, upload: Upload) {
  let arrived = 0;
  let arrivedBefore = 0;
  let fail!: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const onData = ({ length }: Buffer): void => {
    arrived += length;
    try {
      if (arrived > limits.bytes) throw tooLarge(limits);
      upload.charge(length);
    } catch (error) {
      stopReading(request);
      fail(error);
    }
  };
  const onClose = (): void => {
    if (!request.complete) fail(new Failure('request-invalid', 'The client went away during the upload.'));
  };
  const checkPace = (): void => {
    const { bytesPerSecond } = limits;
    if (arrived - arrivedBefore < bytesPerSecond * paceSeconds)
      fail(
        new Failure(
          'upload-timeout',
          `The body comes too slowly: ${bytesPerSecond} bytes a second are expected.`,
        ),
      );
    arrivedBefore = arrived;
  };
  const limit = setTimeout(() => {
    fail(new Failure('upload-timeout', `The body did not arrive within ${limits.seconds} s.`));
  }, limits.seconds * 1000);
  // Timers come before reading in a turn of the event loop; what came while we were busy ourselves must be counted first.
  const pace = setInterval(() => setImmediate(checkPace), paceSeconds * 1000);
  request.on('data', onData);
  request.once('close', onClose);
  const end = (): void => {
    clearTimeout(limit);
    clearInterval(pace);
    request.off('data', onData);
    request.off('close', onClose);
  };
  return { failed, end };
}

/** Whoever was reading gets nothing more. What becomes of the rest is decided with the answer: see errors.ts. */
function stopReading(request: Request): void {
  request.unpipe();
  request.removeAllListeners('data');
  request.pause();
}

export function readWhole(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', reject);
  });
}

const anySize = { of: '', advice: 'Send less, or a smaller picture.' };

export function tooLarge({ bytes, size = anySize }: Pick<BodyLimits, 'bytes' | 'size'>): Failure {
  const limit = bytes >= 1e6 ? `${Number((bytes / 1e6).toFixed(1))} MB` : `${bytes} bytes`;
  return new Failure('too-large', `At most ${limit}${size.of} are accepted in one request. ${size.advice}`);
}
