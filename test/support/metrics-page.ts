export interface ExportedMetric {
  readonly type: string;
  readonly labels: Set<string>;
  /** Every value of each label. */
  readonly values: Map<string, Set<string>>;
}

/** What a page of metrics exports, by the names that queries use: a histogram as its _bucket, _sum and _count. */
export function readMetricsPage(page: string): Map<string, ExportedMetric> {
  const metrics = new Map<string, ExportedMetric>();
  const add = (name: string, type: string): void => {
    metrics.set(name, { type, labels: new Set(), values: new Map() });
  };
  for (const [, name, type] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    if (type === 'histogram')
      for (const suffix of ['_bucket', '_sum', '_count']) add(`${name}${suffix}`, type);
    else add(name, type);
  for (const [, name, labels = ''] of page.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const metric = metrics.get(name);
    if (!metric) throw new Error(`a sample of a metric without a type: ${name}`);
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      metric.labels.add(label);
      metric.values.set(label, (metric.values.get(label) ?? new Set()).add(value));
    }
  }
  return metrics;
}
