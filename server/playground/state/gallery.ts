/** Many pictures and their answers: a few are asked about at a time, and all wait as long as a busy server asks. */
import { computed, signal } from '@preact/signals';
import {
  answerCells,
  answerHeader,
  csvLine,
  type ClassifyResponse,
  type UnseenProblem,
} from '../../../client/index.js';
import { asProblem } from './api.js';
import { inWords, isOutage } from './problem-words.js';
import { askUpToDate } from './revision.js';

export interface GalleryPicture {
  readonly id: number;
  readonly name: string;
  readonly content: File;
  readonly address: string;
  readonly answer: ClassifyResponse | null;
  readonly problem: UnseenProblem | null;
}

export const gallery = signal<readonly GalleryPicture[]>([]);
export const answeredCount = computed(() => gallery.value.filter(isDone).length);

const inFlight = 3;
const maxTries = 20;
const exportedClasses = 5;
let nextId = 1;
let stop = new AbortController();

function isDone({ answer, problem }: GalleryPicture): boolean {
  return answer !== null || problem !== null;
}

export function addToGallery(files: readonly File[]): void {
  const added = files.map((content) => ({
    id: nextId++,
    name: content.name || 'picture',
    content,
    address: URL.createObjectURL(content),
    answer: null,
    problem: null,
  }));
  gallery.value = [...gallery.value, ...added];
  answerAll(added);
}

/** Those that the server was away for. */
export function answerAfterOutage(): void {
  const missed = new Set(gallery.value.filter(({ problem }) => problem && isOutage(problem)));
  if (missed.size === 0) return;
  gallery.value = gallery.value.map((one) => (missed.has(one) ? { ...one, problem: null } : one));
  answerAll([...missed]);
}

function answerAll(pictures: readonly GalleryPicture[]): void {
  const waiting = [...pictures];
  const { signal: stopped } = stop;
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stopped.aborted; next = waiting.shift())
      await answerPicture(next, stopped);
  };
  for (let i = 0; i < inFlight; i++) void work();
}

export function clearGallery(): void {
  stop.abort();
  stop = new AbortController();
  for (const { address } of gallery.value) URL.revokeObjectURL(address);
  gallery.value = [];
}

async function answerPicture({ id, content }: GalleryPicture, stopped: AbortSignal): Promise<void> {
  const set = (change: Partial<GalleryPicture>): void => {
    if (!stopped.aborted)
      gallery.value = gallery.value.map((one) => (one.id === id ? { ...one, ...change } : one));
  };
  for (let tries = 1; ; tries++) {
    try {
      const answer = await askUpToDate((client, atLeastRevision) =>
        client.classify(content, { topK: exportedClasses, signal: stopped, atLeastRevision }),
      );
      set({ answer });
      return;
    } catch (error) {
      const problem = asProblem(error);
      const isBusy = problem.status === 429 || problem.status === 503;
      if (stopped.aborted || !isBusy || tries >= maxTries) {
        set({ problem });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1000 * (problem.retryAfterSeconds ?? 1)));
    }
  }
}

/** The same columns as `unseen classify --csv` writes. */
export function galleryTable(pictures: readonly GalleryPicture[]): string {
  const lines = pictures.filter(isDone).map(({ name, answer, problem }) => {
    const outcome = answer ?? { problem: { code: problem!.code, detail: inWords(problem!).detail } };
    return csvLine(answerCells({ file: name, ...outcome }, exportedClasses));
  });
  return csvLine(answerHeader(exportedClasses)) + lines.join('');
}
