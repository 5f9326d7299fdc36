import { describe, expect, test } from 'vitest';
import { familiesOf, matchesFilter } from '../../../server/playground/state/attribute-families.js';

const described = (...names: string[]) => names.map((name) => ({ name, minimum: 0, maximum: 1 }));
const outline = (...names: string[]) =>
  familiesOf(described(...names)).map(({ name, attributes }) => [name, attributes.map(({ label }) => label)]);

describe('families of attributes', () => {
  test('are told by what stands before the two colons, as CUB and the demonstration write it', () => {
    expect(
      outline('has_wing_color::blue', 'has_wing_color::dark_red', 'colour::red', 'has_wing_color::a::b'),
    ).toEqual([
      ['has wing color', ['blue', 'dark red', 'a::b']],
      ['colour', ['red']],
    ]);
  });

  test('are told by other usual signs, too', () => {
    expect(outline('size=large', 'habitat/sea', 'beak:long')).toEqual([
      ['size', ['large']],
      ['habitat', ['sea']],
      ['beak', ['long']],
    ]);
  });

  test('names without a family are kept together, in the order of the model', () => {
    expect(outline('stripes', 'black', 'new_world', '::odd')).toEqual([
      ['Attributes', ['stripes', 'black', 'new world', '::odd']],
    ]);
  });

  test('a name that ends with the sign is still called something', () => {
    expect(outline('tail::')).toEqual([['tail', ['tail']]]);
  });

  test('an attribute keeps the name and the range that the server gave', () => {
    const [{ attributes }] = familiesOf([{ name: 'colour::red', minimum: -1, maximum: 3 }]);
    expect(attributes).toEqual([
      { name: 'colour::red', family: 'colour', label: 'red', minimum: -1, maximum: 3 },
    ]);
  });
});

test('a filter finds words of family and value in any order, whatever their case', () => {
  const [{ attributes }] = familiesOf(described('has_wing_color::blue'));
  for (const filter of ['', 'wing', 'BLUE wing', 'color::blue'])
    expect(matchesFilter(attributes[0], filter), filter).toBe(true);
  for (const filter of ['red', 'blue beak']) expect(matchesFilter(attributes[0], filter), filter).toBe(false);
});
