/** All access to the server: a client with the key that this page holds. It asks for a key only when the server requires one. */
import { signal } from '@preact/signals';
import { UnseenClient, UnseenProblem } from '../../../client/index.js';
import { forgetLinkedKey, linkedKey } from './linked-key.js';

export interface KeyRequest {
  /** The server's error. */
  readonly detail: string;
  /** A key was given and rejected. */
  readonly refused: boolean;
  /** Null: no key is given, and what was asked for fails. */
  answer(key: string | null): void;
}

export const keyRequest = signal<KeyRequest | null>(null);

// One that is typed is in this variable and nowhere else: gone with the page.
let key = linkedKey();
let client = connect();
let asking: Promise<boolean> | null = null;

/** Whether this page holds a key. */
export function hasKey(): boolean {
  return key !== undefined;
}

function connect(): UnseenClient {
  // The page itself shows when to try again, so the client itself does not retry.
  return new UnseenClient({
    url: new URL('.', document.baseURI),
    retries: 0,
    timeoutSeconds: 60,
    ...(key !== undefined && { key }),
  });
}

export async function ask<T>(call: (client: UnseenClient) => Promise<T>): Promise<T> {
  for (;;) {
    const used = client;
    try {
      return await call(used);
    } catch (error) {
      if (!wantsKey(error)) throw error;
      const hasNewKey = used !== client; // given while this call was under way
      if (!hasNewKey && !(await (asking ??= askForKey(error.detail)))) throw error;
    }
  }
}

/** 403 without a key means that no key would help: the server gives the reason. */
function wantsKey(error: unknown): error is UnseenProblem {
  if (!(error instanceof UnseenProblem)) return false;
  return error.status === 401 || (error.status === 403 && key !== undefined);
}

async function askForKey(detail: string): Promise<boolean> {
  const given = await new Promise<string | null>((answer) => {
    keyRequest.value = { detail, refused: key !== undefined, answer };
  });
  keyRequest.value = null;
  asking = null;
  forgetLinkedKey(); // it did not do
  if (given === null) return false;
  key = given;
  client = connect();
  return true;
}

/** Whatever else is thrown is a defect of this page; it is shown nevertheless. */
export function asProblem(error: unknown): UnseenProblem {
  if (error instanceof UnseenProblem) return error;
  return new UnseenProblem({
    code: 'internal',
    detail: `This page failed: ${String(error)}`,
  });
}
