/** The class that is about to be removed; null when none is. */
import { signal } from '@preact/signals';
import { ask } from './api.js';
import { loadClasses, type ListedClass } from './classes.js';
import { classify } from './picture.js';

export const removing = signal<ListedClass | null>(null);

/** Removes the version that was listed: when it has changed since, the server rejects the removal. */
export async function removeClass({ name, etag }: ListedClass): Promise<void> {
  await ask((client) => client.removeClass(name, etag));
  await Promise.all([loadClasses(), classify()]);
}
