/**
 * Idempotency-Key: a client that got no answer may send the same request again and gets the answer of the first. The answer is
 * stored in the very transaction that makes the change, so that there is never one without the other.
 */
import type { Request, Response } from 'express';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import type { ChangeResult, Classes, RegistryChange } from '../classes/contract.js';
import { changeClasses } from './change-classes.js';

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.header('idempotency-key');
  if (key !== undefined && (key === '' || key.length > 200))
    throw new Failure('request-invalid', 'Idempotency-Key must have 1 to 200 characters.');
  return key;
}

export async function answerOnce(
  request: Request,
  response: Response,
  body: Uint8Array,
  classes: Classes,
  changes: readonly RegistryChange[],
  answer: (result: ChangeResult) => StoredAnswer,
): Promise<void> {
  const key = idempotencyKeyOf(request);
  if (key === undefined) {
    send(response, answer(await changeClasses(request, classes, changes)));
    return;
  }
  const requestHash = sha256Of(request.method, request.originalUrl, body);
  const remembered = await classes.recall(key);
  if (remembered) {
    if (remembered.requestHash !== requestHash)
      throw new Failure(
        'idempotency-key-reused',
        'This Idempotency-Key was used for another request before. Use a new key for a new request.',
      );
    response.setHeader('Idempotency-Replayed', 'true');
    send(response, remembered.answer as StoredAnswer);
    return;
  }
  const remembering = { key, requestHash, answer };
  send(response, answer(await changeClasses(request, classes, changes, remembering)));
}

function send(response: Response, { status, headers, body }: StoredAnswer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.status(status).json(body);
}
