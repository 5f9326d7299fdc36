/** The state of the server, polled every few seconds while the page is visible. */
import { signal } from '@preact/signals';
import type { ReadinessResponse } from '../../../client/index.js';
import { ask } from './api.js';
import { classes, listedRevision, loadClasses } from './classes.js';
import { fetchModel, model } from './model.js';
import { answerAfterOutage, keepGalleryUpToDate } from './gallery.js';
import { classifyAfterOutage } from './picture.js';

interface ServerReadiness {
  readonly reachable: boolean;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Undefined when it could not be asked. */
  readonly serving?: ReadinessResponse['serving'];
}

/** Null before the first answer. */
export const server = signal<ServerReadiness | null>(null);

const everyMilliseconds = 4000;

export function followServer(): void {
  void fetchModel();
  void loadClasses();
  keepGalleryUpToDate();
  void look();
  setInterval(() => {
    if (document.visibilityState === 'visible') void look();
  }, everyMilliseconds);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
}

async function look(): Promise<void> {
  try {
    const { ready, reasons, serving } = await ask((client) => client.ready());
    const wasAway = server.value?.reachable === false;
    server.value = { reachable: true, ready, reasons, serving };
    if (wasAway || !model.value) void fetchModel();
    // Somebody else may have changed the classes; null is a list that is still being read, or that failed.
    const isStale = classes.value !== null && serving.registryRevision !== listedRevision.value;
    if (wasAway || isStale) void loadClasses();
    if (!ready) return;
    // What could not be answered while it was away is asked again, without a click; it may have been away between two looks.
    classifyAfterOutage();
    answerAfterOutage();
  } catch {
    server.value = { reachable: false, ready: false, reasons: [] };
  }
}

type Mood = 'waiting' | 'good' | 'fair' | 'bad';

export function describeServer(): { readonly mood: Mood; readonly text: string } {
  const state = server.value;
  if (!state) return { mood: 'waiting', text: 'connecting' };
  if (!state.reachable) return { mood: 'bad', text: 'unreachable' };
  if (!state.ready) return { mood: 'bad', text: 'not ready' };
  return state.reasons.length > 0 ? { mood: 'fair', text: 'degraded' } : { mood: 'good', text: 'ready' };
}
