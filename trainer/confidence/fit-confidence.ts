/** How far answers can be trusted, from all validation folds at the bias that they chose: probabilities first, then what tells new pictures. */
import { biasFor, type ChosenBias } from '../selection/bias.js';
import type { FoldSample } from './fold-sample.js';
import { fitNovelty, type FittedNovelty } from './novelty.js';
import { fitRecognition, type FittedRecognition } from './recognition.js';
import { chooseSharpness, type ChosenSharpness } from './sharpness.js';

export interface FittedConfidence extends ChosenSharpness {
  readonly novelty: FittedNovelty;
  readonly recognition: FittedRecognition | null;
}

export function fitConfidence(
  folds: readonly FoldSample[],
  bias: Pick<ChosenBias, 'unseenBias' | 'slope' | 'classes'>,
): FittedConfidence {
  const biased = folds.map((fold) => {
    const competing = fold.isUnseen.reduce((sum, one) => sum + one, 0);
    return { ...fold, unseenBias: biasFor(bias, competing) };
  });
  const chosen = chooseSharpness(biased);
  return {
    ...chosen,
    novelty: fitNovelty(folds, chosen, (competing) => biasFor(bias, competing)),
    recognition: fitRecognition(biased, chosen),
  };
}
