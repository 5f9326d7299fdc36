import { loadDataset, type LoadOptions } from '../../trainer/datasets/load.js';
import { openEngine } from '../../trainer/engine/open.js';
import { reportPath, trainingLog } from '../../trainer/report/report-path.js';
import { wholeNumber } from '../numbers.js';
import { addPictureOptions, picturesOf, type ReportPictureOptions } from '../picture-options.js';
import type { AddCommand } from '../program.js';
import { addLoadOptions } from './dataset.js';

interface ReportOptions extends LoadOptions, ReportPictureOptions {
  readonly bundle: string;
  readonly data: string;
  readonly out?: string;
  readonly log?: string;
  readonly threads: number;
  readonly json?: boolean;
}

export const addReportCommand: AddCommand = (program, run) => {
  const command = program
    .command('report')
    .description('Make the report of a bundle: one HTML file that shows what the model does well and badly.')
    .requiredOption('--bundle <directory>', 'the bundle')
    .requiredOption('--data <directory>', 'the dataset; its classes must be those of the bundle')
    .option('--out <file>', 'the report; an existing file is replaced (default: BUNDLE.report.html)')
    .option('--log <file>', 'the log of the training run, for its losses (default: BUNDLE.work/log.jsonl)')
    .option(
      '--threads <count>',
      'threads of ONNX Runtime; 0 for all cores that a container allows',
      wholeNumber,
      0,
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
"unseen train" makes it by itself. The file needs no server and no network. It has small pictures in it: those that were
wrong, with answer, truth and reason, and the most typical and the hardest ones of each class.

Examples:
  unseen report --bundle bundles/cub --data data/cub
  unseen report --bundle bundles/cub --data data/cub --out cub.html
  unseen report --bundle bundles/cub --data data/cub --images photos/cub --pictures-size 10`,
    );
  addPictureOptions(addLoadOptions(command)).action(async (options: ReportOptions) => {
    await run(options.json === true, async (context) => {
      const { bundle: bundlePath, out = reportPath(bundlePath), log = trainingLog(bundlePath) } = options;
      const engine = await openEngine('onnx', { provider: 'cpu', threads: options.threads });
      context.note(`Reading ${options.data} …`);
      const dataset = await loadDataset(options.data, options);
      const { writeReport } = await import('../../trainer/report/write-report.js');
      await writeReport({
        bundlePath,
        out,
        dataset,
        engine,
        logFile: log,
        watcher: context,
        pictures: picturesOf(options),
      });
      context.result(`Report: ${out}   (open it in a browser)`, { bundle: bundlePath, report: out });
    });
  });
};
