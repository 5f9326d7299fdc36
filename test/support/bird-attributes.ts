/** As many attributes as CUB's birds have, in families of the same sizes: 312 in 28. */
const colours = [
  ...['blue', 'brown', 'iridescent', 'purple', 'rufous', 'grey', 'yellow', 'olive'],
  ...['green', 'pink', 'orange', 'black', 'white', 'red', 'buff'],
];
const patterns = ['solid', 'spotted', 'striped', 'multi-coloured'];
const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${word}_${i + 1}`);

const coloured = [
  ...['wing', 'upperparts', 'underparts', 'back', 'upper_tail', 'breast', 'throat', 'forehead'],
  ...['under_tail', 'nape', 'belly', 'primary', 'leg', 'bill', 'crown'],
];
const patterned = ['breast', 'back', 'tail', 'belly', 'wing'];
const families: readonly (readonly [string, readonly string[]])[] = [
  ['has_bill_shape', numbered('bill', 9)],
  ...coloured.map((part) => [`has_${part}_color`, colours] as const),
  ...patterned.map((part) => [`has_${part}_pattern`, patterns] as const),
  ['has_tail_shape', numbered('tail', 6)],
  ['has_head_pattern', numbered('head', 11)],
  ['has_eye_color', colours.slice(0, 14)],
  ['has_bill_length', ['shorter_than_head', 'as_long_as_head', 'longer_than_head']],
  ['has_wing_shape', numbered('wing', 5)],
  ['has_size', numbered('size', 5)],
  ['has_shape', numbered('shape', 14)],
];

export const birdFamilies = families.length;
export const birdAttributes: readonly string[] = families.flatMap(([family, values]) =>
  values.map((value) => `${family}::${value}`),
);
