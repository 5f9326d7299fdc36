/** The report as one HTML file that needs nothing else: no server, no network. Its own policy forbids it to ask for more. */
import { createHash } from 'node:crypto';
import type { ReportData } from '../report-data.js';
import { html, Markup } from './html.js';
import { script } from './script.js';
import { classesSection } from './sections/classes.js';
import { confusionSection } from './sections/confusion.js';
import { embeddingSection } from './sections/embedding.js';
import { importanceSection } from './sections/importance.js';
import { provenanceSection } from './sections/provenance.js';
import { summarySection } from './sections/summary.js';
import { syntheticRowsSection } from './sections/synthetic-rows.js';
import { tradeOffSection } from './sections/trade-off.js';
import { trainingSection } from './sections/training.js';
import { style } from './style.js';

const contents = [
  ['summary', 'Summary'],
  ['trade-off', 'Seen against unseen'],
  ['classes', 'Class by class'],
  ['confusion', 'Confusion'],
  ['embedding', 'Real and synthetic'],
  ['synthetic-rows', 'Synthetic features'],
  ['attributes', 'Attributes'],
  ['training', 'Training'],
  ['provenance', 'Configuration'],
] as const;

export function renderReport(data: ReportData): string {
  const scriptHash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${scriptHash}'`;
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${data.dataset.name} – report of a training run</title>
      <style>
        ${new Markup(style)}
      </style>
    </head>
    <body>
      <nav aria-label="Sections">
        <ul>
          ${contents.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
        </ul>
      </nav>
      <main>
        ${summarySection(data)} ${tradeOffSection(data)} ${classesSection(data)} ${confusionSection(data)}
        ${embeddingSection(data)} ${syntheticRowsSection(data)} ${importanceSection(data)}
        ${trainingSection(data)} ${provenanceSection(data)}
      </main>
      ${new Markup(`<script>${script}</script>`)}
    </body>
  </html>`;
  return `<!doctype html>\n${page.text}\n`;
}
