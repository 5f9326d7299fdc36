/** The alerts that Kubernetes gets are those that test/observability holds to the server's metrics. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string): unknown =>
  parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

test('the rules of the operator are the ones that Prometheus reads without it', () => {
  const { spec } = read('k8s/base/prometheus-rule.yaml') as { spec: { groups: readonly unknown[] } };
  const plain = read('observability/rules/unseen.rules.yaml') as { groups: readonly unknown[] };
  expect(plain.groups.length).toBeGreaterThan(0);
  expect(spec.groups).toEqual(plain.groups);
});
