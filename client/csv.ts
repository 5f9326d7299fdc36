/** Answers as a table that spreadsheets open safely: what would be read as a formula is marked as text. */
import type { ClassifyResponse } from './answers.js';

export type AnswerOfFile = { readonly file: string } & (
  ClassifyResponse | { readonly problem: { readonly code: string; readonly detail: string } }
);

/** Spreadsheets expect a semicolon where the decimal sign is a comma; numbers are then written with that sign. */
export type Separator = ',' | ';';

const formulaStart = /^[=+\-@\t\r]/;

/** `file,class,probability,kind`, the next likely classes, whether it is any of them, then what is wrong with the picture if something is. */
export function answerHeader(topK: number): string[] {
  const numbered = (name: string, rank: number): string => (rank === 0 ? name : `${name} ${rank + 1}`);
  const ranks = Array.from({ length: topK }, (_, rank) =>
    ['class', 'probability', 'kind'].map((name) => numbered(name, rank)),
  );
  return ['file', ...ranks.flat(), 'verdict', 'novelty', 'problem', 'model'];
}

export function answerCells(answer: AnswerOfFile, topK: number): (string | number)[] {
  const best = 'problem' in answer ? [] : answer.predictions;
  const cells = Array.from({ length: topK }, (_, rank) => {
    const prediction = best.at(rank);
    if (!prediction) return ['', '', ''];
    const { class: name, probability, seen, runtime } = prediction;
    return [name, Number(probability.toFixed(6)), runtime ? 'added' : seen ? 'seen' : 'unseen'];
  });
  if ('problem' in answer)
    return [answer.file, ...cells.flat(), '', '', `${answer.problem.detail} (${answer.problem.code})`, ''];
  const { verdict, novelty, model } = answer;
  // Both are empty where the model was not measured for it.
  const doubt = [verdict ?? '', novelty === null ? '' : Number(novelty.toFixed(4))];
  return [answer.file, ...cells.flat(), ...doubt, '', model.version];
}

export function csvLine(cells: readonly (string | number)[], separator: Separator = ','): string {
  return `${cells.map((cell) => cellOf(cell, separator)).join(separator)}\n`;
}

function cellOf(value: string | number, separator: Separator): string {
  if (typeof value === 'number') return separator === ';' ? String(value).replace('.', ',') : String(value);
  const safe = formulaStart.test(value) ? `'${value}` : value;
  return /["\n\r]/.test(safe) || safe.includes(separator) || safe !== safe.trim()
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}

/** What `csvLine` was given. */
export function cellText(cell: string): string {
  return cell.startsWith("'") && formulaStart.test(cell.slice(1)) ? cell.slice(1) : cell;
}
