// Puts the alerts of observability/rules/unseen.rules.yaml, which Prometheus reads as they are, into the object that its
// operator reads. Run it after a change to the rules and commit both: a test compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const project = new URL('../', import.meta.url);
const { groups } = parse(readFileSync(new URL('observability/rules/unseen.rules.yaml', project), 'utf8'));
const object = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'unseen' },
  spec: { groups },
};
writeFileSync(
  new URL('k8s/base/prometheus-rule.yaml', project),
  `# Made by scripts/make-prometheus-rule.js.\n${stringify(object, { lineWidth: 0 })}`,
);
