/** Dashboard and alerts ask for nothing but what a server that really runs exports. */
import { beforeAll, describe, expect, test } from 'vitest';
import { dashboardQueries, readDashboard } from '../../fixtures/grafana-dashboard.js';
import { temporaryFolder } from '../support/folders.js';
import { readMetricsPage, type ExportedMetric } from '../support/metrics-page.js';
import { readQuery } from '../support/promql.js';
import { readRules } from '../support/rules.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer } from '../support/test-server.js';

const dashboard = readDashboard();
const rules = readRules();
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
/** Those that Prometheus adds to whatever it scrapes, and makes by itself. */
const ownLabels = ['job', 'instance'];
const ownMetrics = ['up', 'ALERTS'];
/** Of devices and workers that a test machine does not have, and of routes that this test does not ask. */
const valuesNotHere = ['provider', 'requested', 'route', 'status'];

const queries = [
  ...dashboardQueries(dashboard, '1m').map(({ name, expr }) => [`panel ${name}`, expr] as const),
  ...dashboard.annotations.list.map(({ expr }) => [`annotation`, expr] as const),
  ...dashboard.templating.list.flatMap(({ name, definition }) => {
    const selector = /^label_values\((.*), (\w+)\)$/.exec(definition ?? '');
    return selector ? [[`variable ${name}`, `sum by (${selector[2]}) (${selector[1]})`] as const] : [];
  }),
  ...rules.map(({ alert, record, expr }) => [`rule ${alert ?? record!}`, expr] as const),
];
let exported: Map<string, ExportedMetric>;

beforeAll(async () => {
  const { bundle } = await trainSmallBundle(temporaryFolder());
  const { url } = await startTestServer({ bundle: () => bundle });
  expect((await postPicture(url)).status).toBe(200);
  const page = (await send(`${url}/metrics`)).body as string;
  exported = readMetricsPage(page);
});

test('there are queries of every kind', () => {
  for (const kind of ['panel', 'annotation', 'variable', 'rule'])
    expect(queries.some(([name]) => name.startsWith(kind))).toBe(true);
});

describe.each(queries)('%s', (_, expr) => {
  const { selectors, grouping } = readQuery(expr);
  const asked = selectors.filter(({ metric }) => !ownMetrics.includes(metric) && !recorded.has(metric));

  test('names metrics that the server exports', () => {
    expect(selectors.length).toBeGreaterThan(0);
    expect(asked.map(({ metric }) => metric).filter((metric) => !exported.has(metric))).toEqual([]);
  });

  test('names labels and values that these metrics have', () => {
    const known = new Set(ownLabels);
    for (const { metric, labels, values } of asked) {
      const own = exported.get(metric)!;
      for (const label of own.labels) known.add(label);
      for (const label of labels) expect([...own.labels, ...ownLabels], metric).toContain(label);
      for (const [label, value] of values)
        if (!valuesNotHere.includes(label)) expect([...own.values.get(label)!], metric).toContain(value);
    }
    if (asked.length > 0) for (const label of grouping) expect([...known]).toContain(label);
  });
});

describe('the reader of queries itself', () => {
  test('finds metrics, labels, values and groups', () => {
    const found = readQuery(
      'sum by (le, x) (rate(a_bucket{b="1", c=~"2|3"}[5m])) / on (job) group_left (v) d',
    );
    expect(found.selectors).toEqual([
      { metric: 'a_bucket', labels: ['b', 'c'], values: [['b', '1']] },
      { metric: 'd', labels: [], values: [] },
    ]);
    expect(found.grouping).toEqual(['le', 'x', 'job', 'v']);
  });

  test('refuses what is no PromQL', () => {
    for (const bad of ['sum(', 'a{b=}', 'rate(a[5m]', 'a b'])
      expect(() => readQuery(bad), bad).toThrow('PromQL');
  });
});
