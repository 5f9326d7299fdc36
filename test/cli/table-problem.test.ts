import { expect, test } from 'vitest';
import { UnseenProblem } from '../../client/index.js';
import { inTable } from '../../cli/table-problem.js';

const table = {
  path: 'new.csv',
  header: ['class', 'wing', 'edge/curvd'],
  lines: new Map([
    ['Alfa', 2],
    ['Beta', 5],
  ]),
};
const sent = [{ name: 'Alfa' }, { name: 'Beta' }];
const problem = (...errors: { pointer: string; detail: string }[]) =>
  new UnseenProblem({ code: 'attributes-invalid', detail: 'They do not fit', errors });
const messageOf = (error: unknown) => (inTable(error, sent, table) as Error).message.split('\n').slice(1);

test('an attribute that the model does not have is a column, told once for all lines', () => {
  const detail = 'no attribute has this name; GET /attributes lists them. Did you mean "edge::curved"?';
  const errors = [0, 1].map((i) => ({ pointer: `/classes/${i}/attributes/edge~1curvd`, detail }));
  expect(messageOf(problem(...errors))).toEqual([
    '  - new.csv, column C (edge/curvd): no attribute has this name. Did you mean "edge::curved"?',
  ]);
});

test('a value is a line and a column, a class a line', () => {
  const errors = [
    { pointer: '/classes/1/attributes/wing', detail: '90000 lies outside the range' },
    { pointer: '/classes/0/attributes', detail: 'at least one attribute is needed' },
    { pointer: '/classes/1/attributes', detail: 'at least one attribute is needed' },
  ];
  expect(messageOf(problem(...errors))).toEqual([
    '  - new.csv, line 5 ("Beta"), column B (wing): 90000 lies outside the range.',
    '  - new.csv, line 2 ("Alfa") and 1 more: at least one attribute is needed.',
  ]);
});

test('a name that is taken comes with a command', () => {
  const error = problem({ pointer: '/classes/0/name', detail: 'exists with other attributes' });
  expect(messageOf(error)).toEqual([expect.stringMatching(/line 2 \("Alfa"\): .*"unseen classes remove"/)]);
});

test('of a single class that was sent with pictures the same', () => {
  const error = problem({ pointer: '/attributes/wing', detail: 'it is too large' });
  expect((inTable(error, [{ name: 'Beta' }], table) as Error).message).toContain(
    'line 5 ("Beta"), column B (wing)',
  );
});

test('an error about something else stays what it is', () => {
  const others = [new Error('x'), problem(), problem({ pointer: '/groups/0', detail: 'x' })];
  for (const other of others) expect(inTable(other, sent, table)).toBe(other);
});
