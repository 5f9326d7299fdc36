/** Learning from unlabelled pictures: a pool of them on the server, what they would change, commit and undo. */
import { signal } from '@preact/signals';
import type {
  AdaptationListResponse,
  DryRunAdaptationResponse,
  UnseenProblem,
} from '../../../client/index.js';
import { ask, asProblem } from './api.js';
import { loadClasses } from './classes.js';
import { announce } from './notices.js';
import { classify } from './picture.js';
import { forgetPool, newPoolName, sendToPool } from './pool.js';
import { noteRevision } from './revision.js';

type ListedAdaptation = AdaptationListResponse['adaptations'][number];

export interface AdaptationPreview {
  readonly report: DryRunAdaptationResponse;
  /** Names of the files, by the id that the server gave them. */
  readonly names: ReadonlyMap<string, string>;
}

type Learning =
  | { readonly step: 'idle' }
  | { readonly step: 'sending'; readonly sent: number; readonly total: number }
  | { readonly step: 'asking' }
  | { readonly step: 'shown'; readonly preview: AdaptationPreview }
  | { readonly step: 'committing'; readonly preview: AdaptationPreview };

export const learning = signal<Learning>({ step: 'idle' });
export const learningProblem = signal<UnseenProblem | null>(null);
/** Files that could not be used, and why. */
export const unusableFiles = signal<readonly string[]>([]);
/** What was learnt on this server, newest first; null until somebody looks. */
export const adaptations = signal<readonly ListedAdaptation[] | null>(null);

let pool: string | null = null;

export async function learnFrom(files: readonly File[]): Promise<void> {
  const pictures = files.filter(({ type }) => type.startsWith('image/'));
  await attempt(async () => {
    await forgetOwnPool();
    unusableFiles.value = files
      .filter((file) => !pictures.includes(file))
      .map(({ name }) => `${name}: not a picture`);
    if (pictures.length === 0) return;
    pool = newPoolName();
    const names = new Map<string, string>();
    await sendToPool(pool, pictures, {
      onSent: (sent) => {
        learning.value = { step: 'sending', sent, total: pictures.length };
      },
      onAdded: (id, { name }) => names.set(id, name),
      onUnusable: (words) => {
        unusableFiles.value = [...unusableFiles.value, words];
      },
    });
    learning.value = { step: 'asking' };
    announce('Finding out what can be learnt');
    const used = pool;
    const report = await ask((client) => client.previewAdaptation(used));
    learning.value = { step: 'shown', preview: { report, names } };
    announce(`${report.movedClasses} classes would move`);
  });
}

export async function commitLearning(): Promise<void> {
  const { value } = learning;
  if (value.step !== 'shown' || pool === null) return;
  const { preview } = value;
  const used = pool;
  learning.value = { step: 'committing', preview };
  await attempt(async () => {
    const { registryRevision } = await ask((client) => client.adapt(used));
    await forgetOwnPool();
    learning.value = { step: 'idle' };
    await onChanged(registryRevision, 'The server has learnt from the pictures');
  });
  if (learningProblem.value) learning.value = { step: 'shown', preview };
}

export async function undoLearning({ id }: ListedAdaptation): Promise<void> {
  await attempt(async () => {
    await ask((client) => client.undoAdaptation(id));
    await onChanged(0, 'What was learnt is undone');
  });
}

/** The features that the server keeps of the pictures go, too. */
export async function dismissLearning(): Promise<void> {
  await attempt(forgetOwnPool);
  learning.value = { step: 'idle' };
}

export async function loadAdaptations(): Promise<void> {
  await attempt(async () => {
    adaptations.value = (await ask((client) => client.adaptations())).adaptations;
  });
}

async function onChanged(revision: number, words: string): Promise<void> {
  noteRevision(revision);
  await loadAdaptations();
  await Promise.all([loadClasses(), classify()]);
  announce(words);
}

async function forgetOwnPool(): Promise<void> {
  const old = pool;
  pool = null;
  if (old !== null) await forgetPool(old);
}

async function attempt(work: () => Promise<void>): Promise<void> {
  learningProblem.value = null;
  try {
    await work();
  } catch (error) {
    learningProblem.value = asProblem(error);
    if (learning.value.step !== 'committing') learning.value = { step: 'idle' };
  }
}
