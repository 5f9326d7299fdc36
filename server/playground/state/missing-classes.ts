/** Classes that are missing, found among the pictures of the grid: a pool of them on the server, groups, and one saved by its name. */
import { signal } from '@preact/signals';
import type { DiscoveryResponse, UnseenProblem } from '../../../client/index.js';
import { ask, asProblem } from './api.js';
import { loadClasses } from './classes.js';
import { counted } from './figures.js';
import { gallery } from './gallery.js';
import { announce, notify } from './notices.js';
import { classify } from './picture.js';
import { forgetPool, newPoolName, sendToPool } from './pool.js';
import { noteRevision } from './revision.js';

export type ShownGroup = DiscoveryResponse['groups'][number];

type Search =
  | { readonly step: 'idle' }
  | { readonly step: 'sending'; readonly sent: number; readonly total: number }
  | { readonly step: 'asking' }
  | {
      readonly step: 'shown';
      readonly pool: string;
      readonly pictures: number;
      readonly groups: readonly ShownGroup[];
      /** What to make of pictures that belong to no group; may be empty. */
      readonly advice: string;
      /** By the id that the server gave them. */
      readonly files: ReadonlyMap<string, File>;
    };

export const search = signal<Search>({ step: 'idle' });
export const searchProblem = signal<UnseenProblem | null>(null);

/** Of a group, so many pictures become examples: more hardly move the class. */
const maxExamples = 20;

export async function findMissingClasses(): Promise<void> {
  await dismissSearch();
  const given = gallery.value.filter(({ problem }) => problem === null).map(({ content }) => content);
  const pool = newPoolName();
  try {
    const files = new Map<string, File>();
    await sendToPool(pool, given, {
      onSent: (sent) => {
        search.value = { step: 'sending', sent, total: given.length };
      },
      onAdded: (id, file) => files.set(id, file),
      onUnusable: () => undefined, // its card says so
    });
    search.value = { step: 'asking' };
    const { groups, pictures, advice } = await ask((client) => client.discover(pool));
    search.value = { step: 'shown', pool, groups, pictures, advice, files };
    announce(`${counted(groups.length, 'group')} found`);
  } catch (error) {
    searchProblem.value = asProblem(error);
    search.value = { step: 'idle' };
    await forgetPool(pool).catch(() => undefined); // what went wrong before is what is shown
  }
}

/** True when it was saved. */
export async function saveGroup(group: ShownGroup, name: string): Promise<boolean> {
  const { value } = search;
  if (value.step !== 'shown') return false;
  searchProblem.value = null;
  try {
    const { registryRevision } = await ask((client) =>
      client.createClassOfPool(value.pool, { name, members: group.members.slice(0, maxExamples) }),
    );
    noteRevision(registryRevision);
    search.value = { ...value, groups: value.groups.filter((one) => one !== group) };
    notify(
      `${name} is known from now on, by ${Math.min(maxExamples, group.members.length)} of your pictures.`,
    );
    await Promise.all([loadClasses(), classify()]);
    return true;
  } catch (error) {
    searchProblem.value = asProblem(error);
    return false;
  }
}

/** The features that the server keeps of the pictures go, too. */
export async function dismissSearch(): Promise<void> {
  const { value } = search;
  searchProblem.value = null;
  search.value = { step: 'idle' };
  if (value.step === 'shown') await forgetPool(value.pool).catch(() => undefined); // forgotten by itself after some days
}
