/** The alerts that Kubernetes gets: all there, and on metrics that the server really has. */
import { existsSync, readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../server/observability/metrics.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}
interface Groups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const project = new URL('../../', import.meta.url);
const read = (path: string): unknown => parse(readFileSync(new URL(path, project), 'utf8'));
const { spec } = read('k8s/base/prometheus-rule.yaml') as { spec: Groups };
const rules = spec.groups.flatMap((group) => group.rules);

test('every alert is there, with a severity and a summary', () => {
  expect(rules.map(({ alert }) => alert).sort()).toEqual([
    'UnseenDown',
    'UnseenProviderFallback',
    'UnseenRefusingRequests',
    'UnseenRegistryBehind',
    'UnseenRegistryUnreachable',
    'UnseenSlow',
    'UnseenWorkerRestarts',
  ]);
  for (const { labels, annotations } of rules) {
    expect(labels.severity).toMatch(/^(warning|critical)$/);
    expect(annotations.summary).not.toBe('');
  }
});

test('alerts ask only for metrics that the server has', async () => {
  const metrics = await createMetrics(new Registry()).register.getMetricsAsJSON();
  const names = metrics.map(({ name }) => name);
  const asked = rules.flatMap(({ expr }) => expr.match(/\bunseen_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThan(5);
  for (const name of asked) expect(names).toContain(name.replace(/_(bucket|count|sum)$/, ''));
});

const plain = 'observability/rules/unseen.rules.yaml';
test.skipIf(!existsSync(new URL(plain, project)))(
  'they are the ones that Prometheus reads without an operator',
  () => {
    expect(spec.groups).toEqual((read(plain) as Groups).groups);
  },
);
