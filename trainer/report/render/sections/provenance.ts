import type { ReportData } from '../../report-data.js';
import { withThousands } from '../format.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';

export function provenanceSection({ model, dataset, environment }: ReportData): Markup {
  const hash = (value: string): Markup => html`<code>${value}</code>`;
  const facts: [string, Markup | string][] = [
    ['Model (digest of its manifest)', hash(model.identity)],
    ['Dataset', dataset.name],
    ['Dataset (fingerprint)', hash(dataset.fingerprint)],
    ['Backbone', model.backbone ? hash(JSON.stringify(model.backbone)) : 'not recorded'],
    ['Method', model.method],
    ['Seed', String(model.seed)],
    ['Unseen', environment.version],
    ['Node', environment.node],
    ['System', environment.system],
    ['Processor', environment.processor],
    ['Report made at', environment.madeAt],
  ];
  return html`<section id="provenance">
    <h2>Configuration and hashes</h2>
    <p>
      The same data, settings and seed give the same model, byte for byte, on one kind of machine. A hash that
      differs means other data or another model.
    </p>
    ${table(
      [
        { title: 'What', show: ([name]) => name },
        { title: 'Value', show: ([, value]) => value },
      ],
      facts,
      { caption: 'Where it comes from' },
    )}
    ${table(
      [
        { title: 'Setting', show: ({ path }) => html`<code>${path}</code>` },
        { title: 'Value', show: ({ value }) => html`<code>${value}</code>` },
        { title: 'Default', show: ({ isDefault }) => (isDefault ? 'yes' : html`<strong>no</strong>`) },
      ],
      model.settings,
      { caption: 'Every setting', filter: 'Find settings:', sortable: true },
    )}
    ${table(
      [
        { title: 'File', show: ({ name }) => name },
        {
          title: 'Bytes',
          show: ({ bytes }) => withThousands(bytes),
          value: ({ bytes }) => bytes,
          isNumber: true,
        },
        { title: 'SHA-256', show: ({ sha256 }) => hash(sha256) },
      ],
      model.files,
      { caption: 'Files of the bundle', sortable: true },
    )}
  </section>`;
}
