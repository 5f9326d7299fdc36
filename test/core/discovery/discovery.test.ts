import { describe, expect, test } from 'vitest';
import { ungroupedAdvice } from '../../../core/discovery/discovery.js';

describe('what is said of pictures that belong to no group', () => {
  test('nothing where there are none', () => {
    expect(ungroupedAdvice(0, 100)).toBe('');
  });

  test('as many as pictures of known classes give are no sign of a missing class', () => {
    expect(ungroupedAdvice(5, 100)).toContain(
      '5 of the pictures look like no known class one by one, no more than the 5 %',
    );
  });

  test('more of them call for more pictures of the kind', () => {
    expect(ungroupedAdvice(6, 24)).toContain('too few of them are alike to make a group');
    expect(ungroupedAdvice(6, 24)).toContain('twenty');
  });
});
