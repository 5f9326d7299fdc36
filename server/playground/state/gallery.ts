/** Many pictures and their answers: a few are asked about at a time, and all wait as long as a busy server asks. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { type ClassifyOptions, type ClassifyResponse, type UnseenProblem } from '../../../client/index.js';
import { asProblem } from './api.js';
import { listedRevision } from './classes.js';
import { mayAnswer } from './may-answer.js';
import { model } from './model.js';
import { restingMilliseconds, unseenBias } from './picture.js';
import { isOutage } from './problem-words.js';
import { askUpToDate } from './revision.js';

export interface GalleryPicture {
  readonly id: number;
  readonly name: string;
  readonly content: File;
  readonly address: string;
  /** The newest, even while it is asked about again. */
  readonly answer: ClassifyResponse | null;
  readonly problem: UnseenProblem | null;
  /** For an answer to what the page asks now. */
  readonly isWaiting: boolean;
}

export const gallery = signal<readonly GalleryPicture[]>([]);
export const answeredCount = computed(() => gallery.value.filter(({ isWaiting }) => !isWaiting).length);

/** The same as for the chosen picture. The least probability is left to what shows the answers: the table has all of them. */
const question = computed<Pick<ClassifyOptions, 'classes' | 'groups' | 'unseenBias'>>(() => ({
  ...mayAnswer.value,
  ...(unseenBias.value !== null && { unseenBias: unseenBias.value }),
}));

const maxInFlight = 3;
const maxTries = 20;
/** Of each picture, the likeliest. */
export const classesPerAnswer = 5;
let nextId = 1;
let stop = new AbortController();
let resting: ReturnType<typeof setTimeout> | undefined;
const inFlight = new Set<number>();

export function addToGallery(files: readonly File[]): void {
  const added = files.map((content) => ({
    id: nextId++,
    name: content.name || 'picture',
    content,
    address: URL.createObjectURL(content),
    answer: null,
    problem: null,
    isWaiting: true,
  }));
  gallery.value = [...gallery.value, ...added];
  answerWaiting();
}

/** Those that the server was away for. */
export function answerAfterOutage(): void {
  const isMissed = ({ problem, isWaiting }: GalleryPicture): boolean =>
    !isWaiting && problem !== null && isOutage(problem);
  if (gallery.value.some(isMissed)) askAgain(isMissed);
}

/** Asks about all again when the page asks for something else, and about what is outdated when classes or the model change. */
export function keepGalleryUpToDate(): void {
  question.subscribe(() => {
    askAgain(() => true);
  });
  effect(() => {
    const [revision, version] = [listedRevision.value, model.value?.model.version];
    const isOutdated = ({ answer, problem }: GalleryPicture): boolean =>
      problem !== null || answer?.registryRevision !== revision || answer.model.version !== version;
    untracked(() => {
      askAgain(isOutdated);
    });
  });
}

function askAgain(isOutdated: (picture: GalleryPicture) => boolean): void {
  stop.abort(); // what is under way may be answered as it was asked before
  stop = new AbortController();
  if (gallery.value.some((one) => !one.isWaiting && isOutdated(one)))
    gallery.value = gallery.value.map((one) => (isOutdated(one) ? { ...one, isWaiting: true } : one));
  clearTimeout(resting);
  resting = setTimeout(() => {
    resting = undefined;
    answerWaiting();
  }, restingMilliseconds);
}

/** Those first that have no answer at all. */
function answerWaiting(): void {
  while (resting === undefined && inFlight.size < maxInFlight) {
    const waiting = gallery.value.filter(({ id, isWaiting }) => isWaiting && !inFlight.has(id));
    const next = waiting.find(({ answer }) => answer === null) ?? waiting.at(0);
    if (!next) return;
    inFlight.add(next.id);
    void answerPicture(next, stop.signal).finally(() => {
      inFlight.delete(next.id);
      answerWaiting();
    });
  }
}

export function clearGallery(): void {
  stop.abort();
  stop = new AbortController();
  for (const { address } of gallery.value) URL.revokeObjectURL(address);
  gallery.value = [];
}

async function answerPicture({ id, content }: GalleryPicture, stopped: AbortSignal): Promise<void> {
  const set = (outcome: Pick<GalleryPicture, 'answer' | 'problem'>): void => {
    if (!stopped.aborted)
      gallery.value = gallery.value.map((one) =>
        one.id === id ? { ...one, ...outcome, isWaiting: false } : one,
      );
  };
  for (let tries = 1; !stopped.aborted; tries++) {
    try {
      const answer = await askUpToDate((client, atLeastRevision) =>
        client.classify(content, {
          topK: classesPerAnswer,
          ...question.value,
          signal: stopped,
          atLeastRevision,
        }),
      );
      set({ answer, problem: null });
      return;
    } catch (error) {
      const problem = asProblem(error);
      const isBusy = problem.status === 429 || problem.status === 503;
      if (!isBusy || tries >= maxTries) {
        set({ answer: null, problem });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1000 * (problem.retryAfterSeconds ?? 1)));
    }
  }
}
