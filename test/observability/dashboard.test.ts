import { expect, test } from 'vitest';
import { readDashboard } from '../../fixtures/grafana-dashboard.js';

const dashboard = readDashboard();
const shown = dashboard.panels.filter(({ type }) => type !== 'row');

test('every panel has an id of its own, a title of its own, a description, a unit and queries', () => {
  const unique = (values: readonly unknown[]): void => {
    expect(new Set(values).size).toBe(values.length);
  };
  unique(dashboard.panels.map(({ id }) => id));
  unique(dashboard.panels.map(({ title }) => title));
  for (const { title, description, fieldConfig, targets } of shown) {
    expect(description, title).toMatch(/\w{3}/);
    expect(fieldConfig?.defaults.unit, title).toBeTruthy();
    expect(targets!.length, title).toBeGreaterThan(0);
    unique(targets!.map(({ refId }) => refId));
  }
});

test('panels and queries take the data source from the variable, and all other variables exist', () => {
  const variables = dashboard.templating.list.map(({ name }) => name);
  expect(variables).toEqual(['datasource', 'job', 'instance']);
  for (const { title, datasource, targets } of shown) {
    expect(datasource?.uid, title).toBe('${datasource}');
    for (const { datasource: own, expr } of targets!) {
      expect(own.uid, title).toBe('${datasource}');
      for (const [, name] of expr.matchAll(/\$\{?(\w+)/g))
        expect([...variables, '__rate_interval'], title).toContain(name);
    }
  }
});

test('every query can be narrowed to jobs and replicas', () => {
  for (const { title, targets } of shown)
    for (const { expr } of targets!) {
      const selectors = expr.match(/\{[^}]*\}/g)!;
      for (const selector of selectors)
        expect(selector, title).toContain('job=~"$job", instance=~"$instance"');
    }
});

test('lines of a graph can be told apart by their legends', () => {
  for (const { type, title, targets } of shown) {
    if (type === 'table') continue;
    const legends = targets!.map(({ legendFormat }) => legendFormat);
    for (const legend of legends) expect(legend, title).not.toBe('');
    expect(new Set(legends).size, title).toBe(legends.length);
    for (const { expr, legendFormat } of targets!)
      for (const label of /^\w+ by \(([^)]*)\)/.exec(expr)?.[1].split(', ') ?? [])
        expect(legendFormat, title).toContain(`{{${label}}}`);
  }
});

test('panels lie on the grid of 24 columns and do not overlap', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.get(`${x},${y}`), title).toBeUndefined();
        taken.set(`${x},${y}`, title);
      }
  }
});
