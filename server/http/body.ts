/** Reads a request's body: bounded in size, in time, and in the memory that all bodies together may take. */
import type { Request, Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { UploadBudget } from './upload-budget.js';

export interface BodyLimits {
  readonly bytes: number;
  readonly seconds: number;
}

/** What the body will take at most; refuses at once what declares too much. */
function declaredLength(request: Request, { bytes }: BodyLimits): number {
  const text = request.headers['content-length'];
  if (text === undefined) return bytes; // chunked: it may be as much as is allowed
  const length = Number(text);
  if (length > bytes) throw tooLarge(bytes);
  return length;
}

/**
 * Hands the body to `consume` while it arrives. Whatever happens, the room set aside for it is given back, and the clock is
 * stopped. Fails when the client goes away.
 */
export async function receiveBody<T>(
  request: Request,
  response: Response,
  limits: BodyLimits,
  budget: UploadBudget,
  consume: (request: Request) => Promise<T>,
): Promise<T> {
  const release = budget.reserve(declaredLength(request, limits));
  let timer: NodeJS.Timeout | undefined;
  let onClose: (() => void) | undefined;
  try {
    const interrupted = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Failure('upload-timeout', `The body did not arrive within ${limits.seconds} s.`));
      }, limits.seconds * 1000);
      onClose = () => {
        if (!request.complete)
          reject(new Failure('request-invalid', 'The client went away during the upload.'));
      };
      request.once('close', onClose);
    });
    // A client that asked whether to send (Expect: 100-continue) is told only now that it was let in.
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    return await Promise.race([consume(request), interrupted]);
  } finally {
    clearTimeout(timer);
    if (onClose) request.off('close', onClose);
    release();
  }
}

export async function readWhole(request: Request, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length);
}

export function tooLarge(most: number): Failure {
  const limit = most >= 1e6 ? `${Number((most / 1e6).toFixed(1))} MB` : `${most} bytes`;
  return new Failure(
    'too-large',
    `At most ${limit} are accepted in one request. Send less, or a smaller picture.`,
  );
}
