import type { Adaptation } from './adaptation.js';

/** With fewer pictures little is gained. */
const fewPictures = 100;
const manyForeign = 0.5;

/** Reasons for not expecting much of an adaptation. `strength`: as what share of a labelled picture an assigned one counts. */
export function warningsOf(
  { pictures, classes, none, expected }: Pick<Adaptation, 'pictures' | 'classes' | 'none' | 'expected'>,
  strength: number,
): string[] {
  const warnings: string[] = [];
  if (pictures <= fewPictures)
    warnings.push(
      `${pictures} pictures are few: little is learnt from ${fewPictures} or fewer. Add more, or label some of them.`,
    );
  if (none.share > manyForeign)
    warnings.push(
      `${Math.round(100 * none.share)} % of the pictures look like none of the classes: they may come from another domain than the bundle was trained for.`,
    );
  if (strength === 0)
    warnings.push(
      'No class moves: on validation classes of this bundle unlabelled pictures gained nothing. Label some pictures instead.',
    );
  else if (classes.every(({ assigned }) => assigned === null))
    warnings.push('No class moves: pictures of seen classes explain what the unseen classes received.');
  else if (expected && expected.after < expected.before)
    warnings.push('Pictures that were held out are explained worse than before: do not expect a gain.');
  return warnings;
}
