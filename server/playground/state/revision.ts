/**
 * The newest revision of the class registry that this page knows of. It is sent with every request, so that a replica
 * which does not have a change yet does not answer without it.
 */
import { signal } from '@preact/signals';
import { UnseenProblem, type UnseenClient } from '../../../client/index.js';
import { ask } from './api.js';

const revision = signal(0);

export function noteRevision(known: number): void {
  if (known > revision.peek()) revision.value = known;
}

export async function askUpToDate<T extends { readonly registryRevision: number }>(
  call: (client: UnseenClient, atLeastRevision: number) => Promise<T>,
): Promise<T> {
  const asked = (): Promise<T> => ask((client) => call(client, revision.peek()));
  const answer = await asked().catch((error: unknown) => {
    if (!(error instanceof UnseenProblem) || error.code !== 'precondition-failed') throw error;
    revision.value = 0; // the server was started anew with an empty registry, and counts from the beginning
    return asked();
  });
  noteRevision(answer.registryRevision);
  return answer;
}
