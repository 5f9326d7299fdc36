/**
 * Idempotency-Key: a client that got no answer may send the same request again and gets the answer of the first. The answer is
 * stored in the very transaction that makes the change, so that there is never one without the other.
 */
import type { Request, Response } from 'express';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import type { ChangeResult, ClassChange, Classes } from '../classes/contract.js';

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export async function answerOnce(
  request: Request,
  response: Response,
  body: Uint8Array,
  classes: Classes,
  changes: readonly ClassChange[],
  answer: (result: ChangeResult) => StoredAnswer,
): Promise<void> {
  const key = request.header('idempotency-key');
  if (key === undefined) {
    send(response, answer(await classes.change(changes)));
    return;
  }
  if (key === '' || key.length > 200)
    throw new Failure('request-invalid', 'Idempotency-Key must have 1 to 200 characters.');
  const requestHash = sha256Of(request.method, request.originalUrl, body);
  const remembered = await classes.recall(key);
  if (remembered) {
    if (remembered.requestHash !== requestHash)
      throw new Failure(
        'attributes-invalid',
        'This Idempotency-Key was used for another request. Take a new one.',
        {
          fields: [{ pointer: '', detail: 'differs from the request that first used this key' }],
        },
      );
    response.setHeader('Idempotency-Replayed', 'true');
    send(response, remembered.answer as StoredAnswer);
    return;
  }
  send(response, answer(await classes.change(changes, { key, requestHash, answer })));
}

function send(response: Response, { status, headers, body }: StoredAnswer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.status(status).json(body);
}
