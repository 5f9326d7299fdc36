/** The chosen picture and its classification. */
import { signal } from '@preact/signals';
import type { ClassifyResponse, UnseenProblem } from '../../../client/index.js';
import { asProblem } from './api.js';
import { kindOf } from './classes.js';
import { percentInWords } from './figures.js';
import { fetchModel, model } from './model.js';
import { restriction } from './may-answer.js';
import { announce } from './notices.js';
import { isOutage } from './problem-words.js';
import { askUpToDate } from './revision.js';

interface ChosenPicture {
  readonly name: string;
  readonly content: Blob;
  /** Of the page's own copy, to be shown. */
  readonly address: string;
  /** Chosen by the page itself, to show an answer before anything is clicked. */
  readonly isGreeting?: boolean;
}

export const chosen = signal<ChosenPicture | null>(null);
export const answer = signal<ClassifyResponse | null>(null);
export const isAsking = signal(false);
export const pictureProblem = signal<UnseenProblem | null>(null);
/** Null: the model's own balance between seen and unseen. */
export const unseenBias = signal<number | null>(null);

export const shownClasses = 6;
/** A slider on its way asks for nothing. */
export const restingMilliseconds = 120;

let underWay: AbortController | null = null;
let resting: ReturnType<typeof setTimeout> | undefined;

export function choosePicture(content: Blob, name: string, isGreeting = false): Promise<void> {
  if (chosen.value) URL.revokeObjectURL(chosen.value.address);
  chosen.value = { content, name, address: URL.createObjectURL(content), isGreeting };
  pictureProblem.value = null;
  answer.value = null;
  return classify();
}

/** Classifies again when the slider has not moved for a moment. */
export function moveBalance(value: number | null): void {
  unseenBias.value = value;
  clearTimeout(resting);
  resting = setTimeout(() => void classify(), restingMilliseconds);
}

export function classifyAfterOutage(): void {
  if (pictureProblem.value && isOutage(pictureProblem.value)) void classify();
}

export async function classify(): Promise<void> {
  const picture = chosen.value;
  if (!picture) return;
  underWay?.abort();
  const controller = (underWay = new AbortController());
  isAsking.value = true;
  pictureProblem.value = null;
  try {
    const found = await askUpToDate((client, atLeastRevision) =>
      client.classify(picture.content, {
        topK: shownClasses,
        explain: true,
        unseenBias: unseenBias.value ?? undefined,
        ...restriction.value,
        signal: controller.signal,
        atLeastRevision,
      }),
    );
    if (controller.signal.aborted) return;
    answer.value = found;
    const first = found.predictions.at(0); // none, where less likely classes are left out
    announce(
      first
        ? `${first.class}, ${kindOf(first)}, ${percentInWords(first.probability)}`
        : 'No class is likely enough',
    );
    if (found.model.version !== model.value?.model.version) void fetchModel(); // another model has been loaded since
  } catch (error) {
    if (controller.signal.aborted) return; // superseded by a newer request
    answer.value = null;
    pictureProblem.value = asProblem(error);
  } finally {
    if (underWay === controller) isAsking.value = false;
  }
}
