/** The class that is about to be removed; null when none is. */
import { signal } from '@preact/signals';
import { ask } from './api.js';
import { loadClasses, type ListedClass } from './classes.js';
import { classify } from './picture.js';

export const removing = signal<ListedClass | null>(null);

/** As it was listed: when somebody has changed it since, the server refuses. */
export async function removeClass({ name, etag }: ListedClass): Promise<void> {
  await ask((client) => client.removeClass(name, etag));
  await Promise.all([loadClasses(), classify()]);
}
