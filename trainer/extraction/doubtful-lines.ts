/** Lines that would be unseen classes, and that nobody means as classes: sums below a table, a name once more in another case. */
import { groupedBy } from '../../core/grouped-by.js';
import type { ClassAttributes, LeftOut } from './attributes.js';

const sumWords =
  /^(grand |sub)?(totals?|sums?|summe|gesamt|insgesamt|averages?|means?|medians?|mittel(wert)?|durchschnitt|moyenne|somme|suma|promedio|media)$/i;
/** Below a table there may be a sum, a mean and a median. */
const lastLines = 3;
/** Shorter names may differ in case alone: letters, part numbers. */
const minLettersOfWords = 4;

/** The same without such lines, which are among those that cannot be used. A class with pictures is meant as one. */
export function withoutDoubtfulLines(
  described: ClassAttributes,
  pictured: ReadonlySet<string>,
): ClassAttributes {
  const { classNames, places } = described;
  const reasons = new Map<number, string>();
  for (const alike of groupedBy(classNames.keys(), (i) => alikeKey(classNames[i])).values()) {
    const kept = alike.filter((i) => pictured.has(classNames[i]));
    const [first] = kept.length > 0 ? kept : alike;
    for (const i of alike)
      if (i !== first && !kept.includes(i))
        reasons.set(
          i,
          `the class "${classNames[i]}" differs from "${classNames[first]}" in case or spaces only, and has no pictures. Remove the line, or rename the class if it is another one.`,
        );
  }
  classNames.forEach((name, i) => {
    if (i >= classNames.length - lastLines && i > 0 && sumWords.test(name) && !pictured.has(name))
      reasons.set(
        i,
        `"${name}" has no pictures, and looks like a sum or mean of the lines above. Remove the line, or rename the class if it is one.`,
      );
  });
  if (reasons.size === 0) return described;
  const doubtful = Array.from(reasons, ([i, reason]): LeftOut => ({ file: places[i], reason }));
  const isKept = (_: unknown, i: number): boolean => !reasons.has(i);
  return {
    ...described,
    classNames: classNames.filter(isKept),
    places: places.filter(isKept),
    values: described.values.filter(isKept),
    leftOut: [...described.leftOut, ...doubtful],
    mistakes: [...described.mistakes, ...doubtful],
  };
}

function alikeKey(name: string): string {
  const text = name.replace(/\s+/gu, ' ');
  return text.replace(/[^\p{L}]/gu, '').length < minLettersOfWords ? text : text.toLowerCase();
}
