/** An open draft of a class is kept in the tab when the page goes, and is open again when it comes back. */
import { effect } from '@preact/signals';
import { ClassDraft, draft, type KeptDraft } from './class-draft.js';
import { counted } from './figures.js';
import { model } from './model.js';
import { notify } from './notices.js';
import { inTabStorage } from './tab-storage.js';

const entry = 'unseen-draft';

export function keepDraft(): void {
  // Only when the page goes or is hidden: whoever moves a slider among hundreds waits for nothing.
  addEventListener('pagehide', store);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') store();
    else forget();
  });
  const stop = effect(() => {
    if (!model.value) return; // its attributes are what a draft consists of
    restore();
    queueMicrotask(() => {
      stop();
    });
  });
}

function store(): void {
  const open = draft.peek();
  if (!open) return;
  inTabStorage((storage) => {
    storage.setItem(entry, JSON.stringify(open.kept()));
  });
}

function forget(): void {
  inTabStorage((storage) => {
    storage.removeItem(entry);
  });
}

function restore(): void {
  const text = inTabStorage((storage) => storage.getItem(entry));
  forget();
  if (!text || draft.peek()) return;
  const kept = JSON.parse(text) as KeptDraft;
  draft.value = ClassDraft.restored(kept);
  const name = kept.editing ?? (kept.name.trim() || 'the new class');
  const lost =
    kept.pictures > 0
      ? ` Its pictures are not kept by the browser: add the ${counted(kept.pictures, 'picture')} again.`
      : '';
  notify(`Your draft of ${name} is back.${lost}`);
}
