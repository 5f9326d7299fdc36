/** The classes that compete, all pages of them. */
import { signal } from '@preact/signals';
import type { ClassListResponse, UnseenProblem } from '../../../client/index.js';
import { asProblem } from './api.js';
import { askUpToDate } from './revision.js';

export type ListedClass = ClassListResponse['classes'][number];
export type Kind = 'seen' | 'unseen' | 'added';

export const classes = signal<readonly ListedClass[] | null>(null);
export const classesProblem = signal<UnseenProblem | null>(null);
/** Of the registry, when the list was read. */
export const listedRevision = signal(0);

const pageLength = 1000;

export async function loadClasses(): Promise<void> {
  try {
    const found: ListedClass[] = [];
    let after: string | undefined;
    do {
      const page = await askUpToDate((client, atLeastRevision) =>
        client.classes({ limit: pageLength, after, atLeastRevision }),
      );
      found.push(...page.classes);
      after = page.next;
      listedRevision.value = page.registryRevision;
    } while (after !== undefined);
    classes.value = found.toSorted((a, b) => Number(b.runtime) - Number(a.runtime)); // what was added comes first
    classesProblem.value = null;
  } catch (error) {
    classesProblem.value = asProblem(error);
  }
}

export function kindOf({ seen, runtime }: { readonly seen: boolean; readonly runtime: boolean }): Kind {
  return runtime ? 'added' : seen ? 'seen' : 'unseen';
}
