import { parser } from '@prometheus-io/lezer-promql';

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
  /** Labels that must have this very value. */
  readonly values: readonly (readonly [string, string])[];
}

interface ReadQuery {
  readonly selectors: readonly Selector[];
  /** Of by, without, on, ignoring and group_left. */
  readonly grouping: readonly string[];
}

/** What a PromQL expression asks for, by the grammar of Prometheus itself; fails on what that cannot parse. */
export function readQuery(expr: string): ReadQuery {
  const selectors: { metric: string; labels: string[]; values: [string, string][] }[] = [];
  const grouping: string[] = [];
  const inside: string[] = [];
  parser.parse(expr).iterate({
    enter({ name, type, from, to, node }) {
      const text = expr.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at character ${from}: ${expr}`);
      if (name === 'VectorSelector') {
        const metric = node.getChild('Identifier');
        if (!metric) throw new Error(`a selector without a metric: ${text}`);
        selectors.push({ metric: expr.slice(metric.from, metric.to), labels: [], values: [] });
      }
      if (name === 'UnquotedLabelMatcher') {
        const parts = /^([^!=~]+?)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text);
        if (!parts) throw new Error(`no PromQL in a matcher: ${text}`);
        const [, label, operator, value] = parts;
        const { labels, values } = selectors.at(-1)!;
        labels.push(label);
        if (operator === '=') values.push([label, value]);
      }
      if (name === 'LabelName' && inside.includes('GroupingLabels')) grouping.push(text);
      inside.push(name);
    },
    leave() {
      inside.pop();
    },
  });
  return { selectors, grouping };
}
