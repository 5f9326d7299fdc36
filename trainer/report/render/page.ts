/** The report of a training run, section by section. */
import type { ReportData } from '../report-data.js';
import { htmlDocument } from './document.js';
import { calibrationSection } from './sections/calibration.js';
import { classesSection } from './sections/classes.js';
import { confusionSection } from './sections/confusion.js';
import { embeddingSection } from './sections/embedding.js';
import { importanceSection } from './sections/importance.js';
import { picturesSection } from './sections/pictures.js';
import { provenanceSection } from './sections/provenance.js';
import { summarySection } from './sections/summary.js';
import { syntheticRowsSection } from './sections/synthetic-rows.js';
import { tradeOffSection } from './sections/trade-off.js';
import { trainingSection } from './sections/training.js';

const contents = [
  { id: 'summary', title: 'Summary' },
  { id: 'trade-off', title: 'Seen against unseen' },
  { id: 'calibration', title: 'Probabilities' },
  { id: 'classes', title: 'Class by class' },
  { id: 'pictures', title: 'Pictures' },
  { id: 'confusion', title: 'Confusion' },
  { id: 'embedding', title: 'Real and synthetic' },
  { id: 'synthetic-rows', title: 'Synthetic features' },
  { id: 'attributes', title: 'Attributes' },
  { id: 'training', title: 'Training' },
  { id: 'provenance', title: 'Configuration' },
];

export function renderReport(data: ReportData): string {
  return htmlDocument(`${data.dataset.name} – report of a training run`, contents, [
    summarySection(data),
    tradeOffSection(data),
    calibrationSection(data),
    classesSection(data),
    picturesSection(data),
    confusionSection(data),
    embeddingSection(data),
    syntheticRowsSection(data),
    importanceSection(data),
    trainingSection(data),
    provenanceSection(data),
  ]);
}
