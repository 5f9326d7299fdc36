/** What people have to correct in their tables, or to leave out: it ends an extraction before a picture is read. */
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import { listed, type ClassAttributes, type LeftOut } from './attributes.js';

interface Tables {
  readonly attributes: string;
  /** Of pictures, where one is given. */
  readonly list?: string;
  readonly leaveOutLines?: boolean;
  readonly leaveOutClasses?: boolean;
}

/** A class with pictures and no line that can be used. */
export interface Undescribed {
  readonly file: string;
  readonly reason: string;
  readonly className: string;
  /** A name in the table is like it. */
  readonly isNear: boolean;
}

export function withoutAttributes(
  pictures: readonly { className: string }[],
  classIndex: ReadonlyMap<string, number>,
  attributes: string,
  /** Names of the table, also those of lines that cannot be used. */
  named: ReadonlySet<string>,
): Undescribed[] {
  const counts = new Map<string, number>();
  for (const { className } of pictures)
    if (!classIndex.has(className)) counts.set(className, (counts.get(className) ?? 0) + 1);
  const pictured = new Set(pictures.map(({ className }) => className));
  const withoutPictures = [...named].filter((name) => !pictured.has(name));
  return Array.from(counts, ([name, count]) => {
    const hint = didYouMean(name, withoutPictures);
    return {
      className: name,
      file: `${name}/`,
      reason: `the class "${name}" has ${count} ${count === 1 ? 'picture' : 'pictures'} but no usable line in ${attributes}. Add one, or correct it.${hint}`,
      isNear: hint !== '',
    };
  });
}

/** All at once, so that a table is corrected once: lines that cannot be used, and classes with pictures that have no line at all. */
export function refuseMistakes(
  { attributes, list, leaveOutLines, leaveOutClasses }: Tables,
  { leftOut, mistakes: ofTable, named }: ClassAttributes,
  listLines: readonly LeftOut[],
  undescribed: readonly Undescribed[],
): void {
  const [lines, linesOfList] = leaveOutLines ? [[], []] : [leftOut, listLines];
  // A class whose line cannot be used is reported by that line.
  const classes = leaveOutClasses ? [] : undescribed.filter(({ className }) => !named.has(className));
  const mistakes = [...(leaveOutLines ? [] : ofTable), ...linesOfList, ...classes];
  if (mistakes.length === 0) return;
  const count = (number: number, one: string, many: string): string[] =>
    number === 0 ? [] : [number === 1 ? one : `${number} ${many}`];
  const what = [
    ...count(lines.length, `a line of ${attributes} cannot be used`, `lines of ${attributes} cannot be used`),
    ...count(linesOfList.length, `a line of ${list} cannot be used`, `lines of ${list} cannot be used`),
    ...count(
      classes.length,
      `a class with pictures has no line in ${attributes}`,
      `classes with pictures have no line in ${attributes}`,
    ),
  ];
  const options = [
    ...(lines.length + linesOfList.length > 0 ? ['--leave-out-lines'] : []),
    ...(classes.length > 0 ? ['--leave-out-classes'] : []),
  ].join(' and ');
  const them = lines.length + linesOfList.length + classes.length === 1 ? 'it' : 'them';
  const sentence = inSeries(what);
  throw new Failure(
    'dataset-invalid',
    [
      `${sentence[0].toUpperCase()}${sentence.slice(1)}; no picture has been read. Correct ${them}, or leave ${them} out with ${options}:`,
      ...listed(mistakes, 30),
    ].join('\n'),
  );
}

/** "a", "a, and b", "a, b, and c". */
function inSeries(parts: readonly string[]): string {
  return parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
