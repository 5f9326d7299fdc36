/** The dashboard's queries, and what Grafana would put in place of its variables. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../core/project-folder.js';

export interface DashboardTarget {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: { readonly type: string; readonly uid: string };
}

export interface DashboardPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly DashboardTarget[];
}

export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly DashboardPanel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

export interface DashboardQuery {
  /** Panel and number of the query in it. */
  readonly name: string;
  readonly expr: string;
}

export const observabilityFolder = join(projectFolder(), 'observability');

export function readDashboard(): Dashboard {
  const file = join(observabilityFolder, 'grafana', 'dashboards', 'unseen.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
}

/** With all jobs and all replicas chosen, and rates over so long. */
export function dashboardQueries({ panels }: Dashboard, rateInterval: string): DashboardQuery[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr }) => ({
      name: `${title} (${refId})`,
      expr: expr.replaceAll('$__rate_interval', rateInterval).replaceAll(/\$(job|instance)\b/g, '.*'),
    })),
  );
}
