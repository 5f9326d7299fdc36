/** "This is in fact …": the picture on screen becomes an example of a class, and what that changed. */
import { computed, signal } from '@preact/signals';
import type { ClassifyResponse, UnseenProblem } from '../../../client/index.js';
import { ask, asProblem } from './api.js';
import { classes, loadClasses } from './classes.js';
import { answer, chosen, classify } from './picture.js';
import { noteRevision } from './revision.js';

interface Correction {
  readonly name: string;
  /** Made from this picture alone. */
  readonly isNew: boolean;
  /** Of the picture as an example; null when the class had it already. */
  readonly id: string | null;
  /** The answers before and after. */
  readonly before: ClassifyResponse;
  readonly after: ClassifyResponse;
  /** The picture that was on screen. */
  readonly of: object;
}

const made = signal<Correction | null>(null);
/** Of the picture on screen. */
export const correction = computed(() => (made.value?.of === chosen.value ? made.value : null));
export const isCorrecting = signal(false);
export const correctionProblem = signal<UnseenProblem | null>(null);

export function isKnownClass(name: string): boolean {
  return classes.value?.some((one) => one.name === name) ?? false;
}

/** A name that no class has makes a new one, known by this picture alone. */
export async function correct(name: string): Promise<void> {
  const [picture, before] = [chosen.value, answer.value];
  if (!picture || !before || isCorrecting.value) return;
  await during(async () => {
    const pictures = [{ name: picture.name, picture: picture.content }];
    const isNew = !isKnownClass(name);
    const added = isNew
      ? await ask((client) => client.createClass({ name }, { pictures }))
      : await ask((client) => client.addExamples(name, pictures));
    const id = 'pictures' in added && added.added > 0 ? added.pictures[0].id : null;
    await refresh(added.registryRevision);
    if (answer.value) made.value = { name, isNew, id, before, after: answer.value, of: picture };
  });
}

/** As if it had not been said. */
export async function takeBack(): Promise<void> {
  const done = correction.value;
  if (!done || isCorrecting.value) return;
  await during(async () => {
    await ask((client) =>
      done.isNew
        ? client.removeClass(done.name, '*')
        : client.removeExamples(done.name, done.id ?? undefined),
    );
    made.value = null;
    await refresh(done.after.registryRevision + 1);
  });
}

async function refresh(revision: number): Promise<void> {
  noteRevision(revision);
  await Promise.all([loadClasses(), classify()]);
}

async function during(work: () => Promise<void>): Promise<void> {
  isCorrecting.value = true;
  correctionProblem.value = null;
  try {
    await work();
  } catch (error) {
    correctionProblem.value = asProblem(error);
  } finally {
    isCorrecting.value = false;
  }
}
