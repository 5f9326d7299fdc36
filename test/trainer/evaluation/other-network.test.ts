import { expect, test } from 'vitest';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { otherNetwork } from '../../../trainer/evaluation/evaluate-bundle.js';

const backbone = smallBackbone().identity;
const int8 = { ...backbone, name: 'small-int8', sha256: 'f'.repeat(64) };

test('features of another network than that of the training are told, by both names', () => {
  expect(otherNetwork({ backbone }, { backbone: int8 })).toMatch(
    /trained on features of small \(.*has those of small-int8 \(ffffffffffff\)/,
  );
});

test('nothing is said of the same network, nor where one of them is not known', () => {
  expect(otherNetwork({ backbone }, { backbone })).toBeNull();
  for (const unknown of [null, { ...backbone, sha256: null }]) {
    expect(otherNetwork({ backbone: unknown }, { backbone: int8 })).toBeNull();
    expect(otherNetwork({ backbone }, { backbone: unknown })).toBeNull();
  }
});
