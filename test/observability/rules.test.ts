import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { observabilityFolder } from '../../fixtures/grafana-dashboard.js';
import { projectFolder } from '../../core/project-folder.js';
import { readRules, rulesFile, rulesTestFiles } from '../support/rules.js';

const alerts = readRules().filter(({ alert }) => alert !== undefined);
const names = alerts.map(({ alert }) => alert!);
const runbook = readFileSync(join(projectFolder(), 'docs', 'runbook.md'), 'utf8');

test('the alerts are those that the runbook has, in its order', () => {
  expect([...names].sort()).toEqual([
    'UnseenDown',
    'UnseenManyUnknowns',
    'UnseenNetworksDiffer',
    'UnseenPicturesDrifted',
    'UnseenProviderFallback',
    'UnseenRefusingRequests',
    'UnseenRegistryBehind',
    'UnseenRegistryNotWritable',
    'UnseenRegistryUnreachable',
    'UnseenSlow',
    'UnseenWorkerRestarts',
  ]);
  expect([...runbook.matchAll(/^## (Unseen\w+)$/gm)].map(([, name]) => name)).toEqual(names);
});

test.each(alerts.map((rule) => [rule.alert!, rule] as const))(
  '%s says how bad it is, what happened, and where to read on',
  (name, { labels, annotations }) => {
    expect(['critical', 'warning']).toContain(labels?.severity);
    expect(annotations?.summary).toBeTruthy();
    expect(annotations?.description).toBeTruthy();
    expect(annotations?.runbook).toBe(`docs/runbook.md#${name.toLowerCase()}`);
    const section = runbook.split(`## ${name}\n`)[1].split('\n## ')[0];
    for (const part of ['**Means**', '**Confirm**', '**Do**']) expect(section).toContain(part);
  },
);

test('every alert is tested firing and not firing', () => {
  const cases = rulesTestFiles.flatMap((file) => {
    const { tests } = parse(readFileSync(file, 'utf8')) as {
      tests: { alert_rule_test?: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    return tests.flatMap(({ alert_rule_test = [] }) => alert_rule_test);
  });
  for (const name of names) {
    const own = cases
      .filter(({ alertname }) => alertname === name)
      .map(({ exp_alerts }) => exp_alerts.length);
    expect(
      own.some((count) => count > 0),
      `${name} fires`,
    ).toBe(true);
    expect(own, `${name} does not fire`).toContain(0);
  }
});

test('Prometheus and Grafana are told of files that are there', () => {
  const prometheus = parse(readFileSync(join(observabilityFolder, 'prometheus.yml'), 'utf8')) as {
    rule_files: string[];
  };
  for (const file of prometheus.rule_files) expect(existsSync(join(observabilityFolder, file))).toBe(true);
  const provisioning = (file: string): unknown =>
    parse(readFileSync(join(observabilityFolder, 'grafana', 'provisioning', file), 'utf8'));
  expect(provisioning('datasources/prometheus.yaml')).toMatchObject({
    datasources: [{ type: 'prometheus' }],
  });
  expect(provisioning('dashboards/unseen.yaml')).toMatchObject({ providers: [{ type: 'file' }] });
});

// Debian's package "prometheus" has promtool; without it these are skipped. `check metrics` is in test/server/observability.
describe.skipIf(spawnSync('promtool', ['--version']).error !== undefined)(
  'promtool, of Debian\'s "prometheus"',
  () => {
    test.each([
      ['check', 'rules', rulesFile],
      ['test', 'rules', ...rulesTestFiles],
      ['check', 'config', join(observabilityFolder, 'prometheus.yml')],
    ])('%s %s passes', (...words) => {
      const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
      expect(status, `${stdout}${stderr}`).toBe(0);
      expect(stdout).toContain('SUCCESS');
    });
  },
);
