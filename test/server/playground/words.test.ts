import { describe, expect, test } from 'vitest';
import { failureCodes } from '../../../core/failures.js';
import { counted, figure, percent, place } from '../../../server/playground/state/figures.js';
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

  test('trying again is offered where it can help, and not where the request must change', () => {
    expect(isPassing({ code: 'server-unreachable', status: undefined })).toBe(true);
    expect(isPassing({ code: 'overloaded', status: 429 })).toBe(true);
    expect(isPassing({ code: 'deadline-exceeded', status: 504 })).toBe(true);
    expect(isPassing({ code: 'too-large', status: 413 })).toBe(false);
    expect(isPassing({ code: 'image-invalid', status: 422 })).toBe(false);
  });
});

describe('figures', () => {
  test('a small share is not nothing', () => {
    expect([0, 0.0004, 0.01, 0.4257, 1].map((share) => percent(share).replaceAll('\u00a0', ' '))).toEqual([
      '0 %',
      '< 1 %',
      '1 %',
      '43 %',
      '100 %',
    ]);
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
