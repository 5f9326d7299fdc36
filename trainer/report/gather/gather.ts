/** Gathers the data of a report from a saved model, its dataset and, if there is one, the log of its training. */
import type { Bundle } from '../../../core/bundle/bundle.js';
import { releaseRows, type RowSource } from '../../../core/matrix.js';
import type { Watcher } from '../../../core/progress.js';
import type { Dataset } from '../../datasets/dataset.js';
import type { Engine } from '../../engine/contract.js';
import type { ReportData } from '../report-data.js';
import { attributeImportance } from './attribute-importance.js';
import { confusion } from './confusion.js';
import { thinnedCurve } from './curve.js';
import { embedding } from './embedding.js';
import { datasetFacts, environmentFacts, modelFacts } from './facts.js';
import { readHistory, remembered } from './history.js';
import { pictures, type PictureOptions } from './pictures/pictures.js';
import { syntheticRowCounts } from './synthetic-row-counts.js';
import { openReportContext } from './report-context.js';

export interface ReportRequest {
  readonly bundle: Bundle;
  readonly dataset: Dataset;
  /** The log.jsonl of the training run; it need not be there. */
  readonly logFile: string;
  readonly engine: Engine;
  readonly watcher: Watcher;
  /** How long fitting heads with other numbers of synthetic rows may take in all. */
  readonly refitSeconds: number;
  /** Null: without pictures. */
  readonly pictures: PictureOptions | null;
}

export async function gatherReport(request: ReportRequest): Promise<ReportData> {
  const { bundle, dataset, engine, watcher } = request;
  const context = await openReportContext(bundle, dataset);
  let realTraining: RowSource | undefined;
  try {
    const { history, because } = await readHistory(request.logFile, bundle.manifest);
    if (!history) watcher.note(`The report has no losses: ${because}.`);
    const { generalized, generalizedWithoutBias, ausuc, upperBound, standard, intervals } =
      context.evaluation;
    const { facts, classes } = confusion(context);
    realTraining = await context.mapper.mapAll(dataset.features, dataset.splits.train); // (rows, D)
    return {
      dataset: datasetFacts(context),
      model: modelFacts(context),
      environment: environmentFacts(),
      summary: { generalized, generalizedWithoutBias, ausuc, upperBound, standard, intervals },
      ...remembered(bundle.manifest),
      curve: thinnedCurve(context),
      classes,
      pictures: await pictures(context, request.pictures, watcher),
      confusion: facts,
      embedding: await embedding({ ...context, seed: bundle.manifest.seed }, realTraining, watcher),
      syntheticRows: await syntheticRowCounts(context, realTraining, {
        engine,
        watcher,
        seconds: request.refitSeconds,
      }),
      importance: await attributeImportance(context, watcher),
      history,
      calibration: context.evaluation.calibration ?? null,
    };
  } finally {
    if (realTraining) releaseRows(realTraining);
    await context.release();
  }
}
