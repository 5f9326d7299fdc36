/** The answers of the grid as a table. */
import { answerCells, answerHeader, csvLine } from '../../../client/index.js';
import { classesPerAnswer, type GalleryPicture } from './gallery.js';
import { inWords } from './problem-words.js';

/** The same columns as `unseen classify --csv` writes. Pictures without an answer to what is asked now are left out. */
export function galleryTable(pictures: readonly GalleryPicture[]): string {
  const done = pictures.filter(({ isWaiting }) => !isWaiting);
  const lines = done.map(({ name, answer, problem }) => {
    const outcome = answer ?? { problem: { code: problem!.code, detail: inWords(problem!).detail } };
    return csvLine(answerCells({ file: name, ...outcome }, classesPerAnswer));
  });
  return csvLine(answerHeader(classesPerAnswer)) + lines.join('');
}
