/**
 * The newest revision of the class registry that this page has heard of. It is sent along with what is asked, so that a
 * replica which has not heard of a change yet does not answer as if there had been none.
 */
import { signal } from '@preact/signals';
import { UnseenProblem, type UnseenClient } from '../../../client/index.js';
import { ask } from './api.js';

export const revision = signal(0);

export function reachRevision(heardOf: number): void {
  if (heardOf > revision.peek()) revision.value = heardOf;
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
  reachRevision(answer.registryRevision);
  return answer;
}
