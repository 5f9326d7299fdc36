import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { observabilityFolder } from '../../fixtures/grafana-dashboard.js';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const rulesFile = join(observabilityFolder, 'rules', 'unseen.rules.yaml');
export const rulesTestFiles = ['unseen.rules.test.yaml', 'unseen.rules-over-days.test.yaml'].map((name) =>
  join(observabilityFolder, 'rules', name),
);

export function readRules(): Rule[] {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
