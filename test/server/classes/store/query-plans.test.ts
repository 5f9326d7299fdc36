/** How SQLite finds examples: with a hundred thousand of them, a statement that goes through all is felt by every start and change. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { toHalf } from '../../../../core/half.js';
import type { Query } from '../../../../server/classes/store/database.js';
import {
  changeExamples,
  readExamples,
  readExamplesAt,
  readRemovedExamples,
  removeExamplesOf,
} from '../../../../server/classes/store/examples.js';
import { openStore } from '../../../../server/classes/store/open.js';
import { prune } from '../../../../server/classes/store/pruning.js';
import { temporaryFolder } from '../../../support/folders.js';

const path = join(temporaryFolder(), 'classes.db');
await (await openStore(`sqlite:${path}`)).close();

/** How it would run every statement on examples that is asked of the query; none is run. */
async function plansOf(work: (query: Query) => Promise<unknown>): Promise<string[]> {
  const database = new Libsql(path);
  onTestFinished(() => void database.close());
  const plans: string[] = [];
  await work((sql, parameters = []) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
    if (sql.includes('examples')) plans.push(steps.map(({ detail }) => detail).join('; '));
    return Promise.resolve([]);
  });
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

const context = { revision: 2, at: 0 };
const keys = ['a', 'b'].map((id) => ({ name: 'zebra', id }));
const added = [
  { ...keys[0], backbone: 'network', features: toHalf(new Float32Array([1])), createdAt: 0, createdBy: null },
] as const;

test.each<[string, RegExp, (query: Query) => Promise<unknown>]>([
  ['all are read in the order of an index', /^SEARCH .*\(added_revision,id\)>/, (q) => readExamples(q, 0)],
  ['so are those that are new', /^SEARCH .*\(added_revision,id\)>/, (q) => readExamples(q, 7)],
  ['those that are gone', /^SEARCH .*removed_revision>/, (q) => readRemovedExamples(q, 7)],
  ['those of a class at a revision', /^SEARCH .*name=/, (q) => readExamplesAt(q, 'zebra', 7)],
  ['some are removed', /^SEARCH .*id=/, (q) => changeExamples(q, { added: [], removed: keys }, context)],
  [
    'those of classes are removed',
    /^SEARCH .*name=/,
    (q) => removeExamplesOf(q, ['okapi', 'zebra'], context),
  ],
  ['one is added', /^$/, (q) => changeExamples(q, { added, removed: [] }, context)],
  [
    'those past their time are deleted',
    /^SEARCH examples .*removed_/,
    (q) => prune(q, 0, { milliseconds: 1, versionMilliseconds: 1 }),
  ],
])('%s: found by an index', async (_what, expected, work) => {
  for (const plan of await plansOf(work)) {
    expect(plan).toMatch(expected);
    expect(plan).not.toContain('SCAN examples');
  }
});

test('no page of examples is sorted by itself', async () => {
  for (const plan of await plansOf((query) => readExamples(query, 0)))
    expect(plan).not.toContain('TEMP B-TREE');
});
