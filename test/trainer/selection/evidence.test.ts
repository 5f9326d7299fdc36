/** How much pictures count beside attributes, from what validation folds say. */
import { describe, expect, test } from 'vitest';
import { chooseEvidence, type FoldEvidence } from '../../../trainer/selection/evidence.js';

const usual = { noise: 2, isotropicShare: 0.9, halfBiasPictures: 10 };
/** 20 candidates of noise and isotropic share (5 by 4), and 5 of how fast the bias fades. */
const fold = (best: number, harmonicMeans: readonly number[]): { pictures: FoldEvidence } => ({
  pictures: {
    accuracy: Array.from({ length: 20 }, (_, i) => (i === best ? 0.6 : 0.5)),
    harmonicMeans,
    gains: [],
  },
});
const flat = [0.5, 0.5, 0.5, 0.5, 0.5];

describe('the choice on validation folds', () => {
  test('is the usual one where nothing was measured', () => {
    expect(chooseEvidence([], 0.003)).toEqual(usual);
    expect(chooseEvidence([{ pictures: null }], 0.003)).toEqual(usual);
  });

  test('takes the noise and the share with the best mean accuracy', () => {
    expect(chooseEvidence([fold(0, flat), fold(0, flat), fold(19, flat)], 0.003)).toEqual({
      noise: 1,
      isotropicShare: 0.5,
      halfBiasPictures: 10,
    });
    expect(chooseEvidence([fold(19, flat), { pictures: null }], 0.003)).toEqual({
      noise: 4,
      isotropicShare: 0.95,
      halfBiasPictures: 10,
    });
  });

  test('changes how fast the bias fades only for a gain beyond the least that counts', () => {
    const chosen = (gain: number): number =>
      chooseEvidence([fold(0, [0.5 + gain, 0.5, 0.5, 0.5, 0.5])], 0.003).halfBiasPictures;
    expect(chosen(0.002)).toBe(10);
    expect(chosen(0.004)).toBe(3);
  });
});
