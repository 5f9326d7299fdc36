import { describe, expect, test } from 'vitest';
import { failureCodes } from '../../../core/failures.js';
import {
  counted,
  figure,
  percentInWords,
  place,
  resolution,
  rounded,
} from '../../../server/playground/state/figures.js';
import {
  fieldSentence,
  fieldWords,
  plainWords,
  warningSentence,
} from '../../../server/playground/state/plain-words.js';
import { valueWords } from '../../../server/playground/state/value-words.js';
import { inWords, isPassing } from '../../../server/playground/state/problem-words.js';

describe('problems in words', () => {
  test.each(failureCodes)('%s has a title and says more', (code) => {
    const { title, detail } = inWords({ code, detail: 'what the server says' });
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(detail).not.toBe('');
  });

  test('what the server says is kept where it knows better', () => {
    expect(inWords({ code: 'too-large', detail: 'At most 20 MB.' }).detail).toBe('At most 20 MB.');
  });

  test('a missing key is asked for without headers', () => {
    const detail = 'Send a key as "Authorization: Bearer KEY" or "X-API-Key: KEY".';
    expect(inWords({ code: 'unauthenticated', detail }).detail).toMatch(/^Whoever runs the server has one\./);
  });

  test('trying again is offered where it can help, and not where the request must change', () => {
    expect(isPassing({ code: 'server-unreachable', status: undefined })).toBe(true);
    expect(isPassing({ code: 'overloaded', status: 429 })).toBe(true);
    expect(isPassing({ code: 'deadline-exceeded', status: 504 })).toBe(true);
    expect(isPassing({ code: 'too-large', status: 413 })).toBe(false);
    expect(isPassing({ code: 'image-invalid', status: 422 })).toBe(false);
  });
});

describe('what the server says to programs', () => {
  test.each([
    [
      'A class "Japan" exists with other attributes. Replace it with PUT /classes/Japan, or choose another name.',
      'A class "Japan" exists with other attributes. Choose another name.',
    ],
    ['There is no class "St. John". GET /classes lists them.', 'There is no class "St. John".'],
    [
      '"a" would have 300 example pictures, and 256 are kept of a class (--examples-per-class). Remove some first.',
      '"a" would have 300 example pictures, and 256 are kept of a class. Remove some first.',
    ],
    ['0.9 lies outside 0 to 0.7880555391311646', '0.9 lies outside 0 to 0.788'],
    ['At most 20 MB.', 'At most 20 MB.'],
  ])('%s', (said, plain) => {
    expect(plainWords(said)).toBe(plain);
  });

  test('a place in the request is named as the form names it', () => {
    const words = (pointer: string) => fieldWords(pointer, (name) => name.replace('::', ' '));
    expect(
      ['/name', '/classes/0/name', '/attributes/colour::red', '/attributes/a~1b', '/image/2', ''].map(words),
    ).toEqual(['Name', 'Name', 'Colour red', 'A/b', 'Picture 3', '']);
    expect(fieldSentence('Name', 'exists with other attributes')).toBe('Name: exists with other attributes.');
    expect(fieldSentence('', 'this is not JSON')).toBe('This is not JSON.');
  });
});

describe('values of attributes', () => {
  const meaning = (value: number, minimum: number, maximum: number) =>
    valueWords(value, { minimum, maximum }).replaceAll('\u00a0', ' ');

  test('are compared with the classes of the training, and are shares up to 1', () => {
    expect(meaning(0.0856, 0, 0.788)).toBe('low, 9 %');
    expect([meaning(0, 0, 1), meaning(1, 0, 1), meaning(0.5, 0, 1)]).toEqual([
      'lowest',
      'highest',
      'medium, 50 %',
    ]);
    expect([meaning(7, 3, 8), meaning(4, 3, 8)]).toEqual(['high', 'low']); // counts, such as of petals
    expect([meaning(9, 3, 8), meaning(-1, 0, 1)]).toEqual([
      'above every class in training',
      'below every class in training',
    ]);
  });

  test('a slider moves in powers of ten, a hundred of them or more', () => {
    expect([resolution(0, 1), resolution(0, 0.788), resolution(0, 100), resolution(3, 3)]).toEqual([
      0.01, 0.001, 1, 0.01,
    ]);
    expect([rounded(0.1 + 0.2, 0.01), rounded(0.5641025641025641, 0.001)]).toEqual([0.3, 0.564]);
  });
});

describe('figures', () => {
  test('a small share is not nothing', () => {
    expect(
      [0, 0.0004, 0.01, 0.4257, 1].map((share) => percentInWords(share).replaceAll('\u00a0', ' ')),
    ).toEqual(['0 %', '< 1 %', '1 %', '43 %', '100 %']);
  });

  test('values are shown with three figures, and zero has no sign', () => {
    expect([0.56162, 12.3456, -0, 1, 12345.6].map((value) => figure(value))).toEqual([
      '0.562',
      '12.3',
      '0',
      '1',
      '12346',
    ]);
    expect(figure(0.0569, 2)).toBe('0.057');
  });

  test('a place is between 0 and 1, also for a range without width', () => {
    expect([place(5, 0, 10), place(-1, 0, 10), place(99, 0, 10), place(3, 3, 3)]).toEqual([0.5, 0, 1, 0]);
  });

  test('one is not many', () => {
    expect([counted(1, 'class', 'classes'), counted(2, 'class', 'classes'), counted(0, 'change')]).toEqual([
      '1 class',
      '2 classes',
      '0 changes',
    ]);
  });
});

test.each([
  [
    'colour::red (share of red): 0.5620000123977661 lies outside the range that training saw, 0 to 0.4',
    'Colour red (share of red): 0.562 lies outside the range that training saw, 0 to 0.4.',
  ],
  ['size: 90 lies outside the range', 'The size: 90 lies outside the range.'],
  [
    'its attributes are nearly those of "Mike". Give others.',
    'Its attributes are nearly those of "Mike". Give others.',
  ],
])('the warning "%s" is a sentence with attributes in words', (warning, sentence) => {
  const words: Record<string, string> = { 'colour::red': 'colour red', size: 'the size' };
  expect(warningSentence(warning, Object.keys(words), (name) => words[name])).toBe(sentence);
});
