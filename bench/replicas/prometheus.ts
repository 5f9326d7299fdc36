/** A Prometheus with the project's own rules, and its HTTP API. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { observabilityFolder } from '../../fixtures/grafana-dashboard.js';
import { Program } from './program.js';

const configuration = (targets: readonly string[]): string => `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [unseen.rules.yaml]
scrape_configs:
  - job_name: unseen
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`;

interface Answer<T> {
  readonly status: string;
  readonly error?: string;
  readonly data: T;
}

export class Prometheus {
  private constructor(
    private readonly program: Program,
    readonly url: string,
  ) {}

  static async start(folder: string, port: number, targets: readonly string[]): Promise<Prometheus> {
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, configuration(targets));
    const rules = readFileSync(join(observabilityFolder, 'rules', 'unseen.rules.yaml'));
    writeFileSync(join(folder, 'unseen.rules.yaml'), rules);
    const flags = {
      'config.file': file,
      'storage.tsdb.path': join(folder, 'prometheus'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'warn',
    };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const url = `http://127.0.0.1:${port}`;
    return new Prometheus(await Program.start('prometheus', words, `${url}/-/ready`), url);
  }

  /** Current values of the series that a query returns, without NaN. */
  async ask(expr: string): Promise<number[]> {
    const query = new URLSearchParams({ query: expr });
    const { result } = await this.get<{ result: { value: [number, string] }[] }>(`query?${query.toString()}`);
    return result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
  }

  /** Descriptions of rules that failed to evaluate; empty when there are none. */
  async troubleWithRules(): Promise<string[]> {
    interface Rule {
      readonly name: string;
      readonly health: string;
      readonly lastError?: string;
    }
    const { groups } = await this.get<{ groups: { rules: Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    if (rules.length === 0) return ['no rules were loaded'];
    return rules
      .filter(({ health }) => health !== 'ok')
      .map(({ name, health, lastError = '' }) => `${name}: ${health} ${lastError}`);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as Answer<T>;
    if (status !== 'success') throw new Error(`Prometheus on ${path}: ${String(error)}`);
    return data;
  }
}
