import { expect, test } from 'vitest';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import {
  biasInDigits,
  biasOriginInWords,
  biasOriginOf,
  biasOriginSchema,
} from '../../../trainer/evaluation/bias-origin.js';

const bias = {
  unseenBias: 0.2,
  slope: 0,
  classes: 5,
  plausible: [-0.31, 0.456],
  range: [-1, 1],
  heldOut: 60,
  foldBiases: [0.12, -0.4, 0.5],
} as const;
const trials = [
  { setting: 'share', value: 0, harmonicMean: 0.5, ausuc: 0.4, standardTop1: 0.6, unseenBias: 0.2 },
];
const chosen = smallConfiguration({ validation: { unseenBias: null } });

test('a bias that validation classes chose is said with the range that would have done as well', () => {
  const origin = biasOriginOf(chosen, { bias, trials });
  expect(biasOriginInWords(origin)).toContain('chosen on validation classes, where any from -0.31 to 0.46');
});

test('what the choice rests on is said: how many classes, how many competed, and how far folds are apart', () => {
  expect(biasOriginInWords(biasOriginOf(chosen, { bias, trials }))).toContain(
    'within half a point of H (60 held-out classes; 5 unseen competing in each fold; best of single folds -0.40 to 0.50)',
  );
  const few = { ...bias, heldOut: 4, classes: 2, foldBiases: [0.12] };
  expect(biasOriginInWords(biasOriginOf(chosen, { bias: few, trials }))).toContain(
    '(4 held-out classes, too few to be sure; 2 unseen competing in each fold; a single fold)',
  );
});

test('with so few classes that a single bias stands out, no range is claimed; zero has no sign', () => {
  const sharp = { ...bias, plausible: [0.767, 0.771], foldBiases: [-0.001, 0.5] } as const;
  const words = biasOriginInWords(biasOriginOf(chosen, { bias: sharp, trials }));
  expect(words).toContain('where 0.77 alone is within half a point of H');
  expect(words).toContain('best of single folds 0.00 to 0.50');
  expect(biasInDigits(-0.0001)).toBe('0.000');
});

test('a bundle from before says what it knows', () => {
  const origin = biasOriginSchema.parse({ kind: 'chosen', plausible: [-0.31, 0.456] });
  expect(biasOriginInWords(origin)).toMatch(/ is within half a point of H$/);
});

test('a bias that was given is not called chosen, whatever was validated', () => {
  const given = smallConfiguration({ validation: { unseenBias: 0 } });
  expect(biasOriginInWords(biasOriginOf(given, { bias, trials }))).toBe('given, not chosen');
});

test('without classes to validate on, none is chosen, and that is said', () => {
  expect(biasOriginInWords(biasOriginOf(chosen, { bias, trials: [] }))).toContain('too few seen classes');
});
