import { draft } from '../state/class-draft.js';
import { addToGallery } from '../state/gallery.js';
import { choosePicture } from '../state/picture.js';
import { withDroppedFiles } from './dropped-files.js';

/** One is looked at; several become a grid of answers. */
export function acceptFiles(files: Iterable<File>): void {
  const all = Array.from(files);
  if (all.length > 1) addToGallery(all);
  else acceptFile(all[0], choosePicture);
}

function acceptFile(file: File | null | undefined, choose: (content: Blob, name: string) => unknown): void {
  if (file) choose(file, file.name || 'picture');
}

/** A part of the page that takes files for another purpose. */
function hasDropOfItsOwn({ target }: DragEvent): boolean {
  return target instanceof Element && target.closest('[data-drop]') !== null;
}

/** While the editor of a class is open they are pictures of that class; else they are looked at. */
function accept(files: readonly File[]): void {
  if (draft.value) void draft.value.addPictures(files);
  else acceptFiles(files);
}

/** Anywhere on the page. Returns a function that stops it. */
export function watchPasteAndDrop(setOver: (isOver: boolean) => void): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  document.addEventListener(
    'paste',
    ({ clipboardData }) => {
      // Text pasted into a field is left alone.
      accept(Array.from(clipboardData?.files ?? []).filter(({ type }) => type.startsWith('image/')));
    },
    options,
  );
  document.addEventListener(
    'dragover',
    (event) => {
      event.preventDefault(); // or the browser would open the file in place of the page
      setOver(!hasDropOfItsOwn(event));
    },
    options,
  );
  document.addEventListener(
    'dragleave',
    ({ relatedTarget }) => {
      if (relatedTarget === null) setOver(false);
    },
    options,
  );
  document.addEventListener(
    'drop',
    (event) => {
      event.preventDefault();
      setOver(false);
      if (hasDropOfItsOwn(event)) return;
      void withDroppedFiles(event.dataTransfer, accept);
    },
    options,
  );
  return () => {
    stop.abort();
  };
}
