import { spawn } from 'node:child_process';
import { Failure } from '../../core/failures.js';
import { percentColumn } from '../../core/percent.js';
import { openEngine } from '../../trainer/engine/open.js';
import { readGrid } from '../../trainer/experiments/sweep-grid.js';
import { mergeSweep, sweep, type SweepRow } from '../../trainer/experiments/sweep.js';
import { wholeWork, type Shard } from '../../trainer/shard.js';
import { shardNumber } from '../shard.js';
import type { CommandContext } from '../context.js';
import { count, wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { addTrainingOptions, openInputs, settingsOf, type TrainingOptions } from '../training-inputs.js';

interface SweepOptions extends TrainingOptions {
  readonly grid: string;
  readonly shard?: Shard;
  readonly processes: number;
  readonly merge?: boolean;
}

export const addSweepCommand: AddCommand = (program, run) => {
  const command = program
    .command('sweep')
    .description('Evaluate a grid of settings on validation classes; test rows are not used.')
    .requiredOption('--data <directory>', 'the dataset')
    .requiredOption('--out <directory>', 'one file for each result; existing results are not computed again')
    .requiredOption('--grid <file>', 'JSON: paths of settings, each with the values to try')
    .option('--shard <i/n>', 'run shard i of n only', shardNumber)
    .option('--processes <count>', 'number of processes to run at once on this machine', count, 1)
    .option('--merge', 'print the table of finished results without computing anything')
    .option('--seed <number>', 'of every training', wholeNumber, 1)
    .addHelpText(
      'after',
      `
A grid is like {"generator.learningRate": [0.001, 0.002], "head.regularisation": [0.03, 0.1]}: every combination is tried.
In an indexed Kubernetes Job give each pod --shard "$((JOB_COMPLETION_INDEX + 1))/N" and one shared OUT; then print with --merge.

Examples:
  unseen sweep --data data/cub --out sweep --grid grid.json
  unseen sweep --data data/cub --out sweep --grid grid.json --processes 2 --threads 1
  unseen sweep --data data/cub --out sweep --grid grid.json --merge`,
    );
  addTrainingOptions(command).action(async (options: SweepOptions) => {
    await run(options.json === true, async (context) => {
      if (options.shard && options.processes > 1)
        throw new Failure(
          'usage',
          '--processes and --shard exclude each other: --processes makes the shards itself.',
        );
      if (options.merge !== true) {
        await (options.processes > 1
          ? inProcesses(options.processes, context)
          : inThisProcess(options, context));
      }
      const rows = mergeSweep(options.out);
      context.result(describe(rows), rows);
    });
  });
};

async function inThisProcess(options: SweepOptions, watcher: CommandContext): Promise<void> {
  const points = await readGrid(options.grid, await settingsOf(options));
  const open = () => openEngine('onnx', { provider: 'cpu', threads: options.threads });
  const { engine, dataset } = await openInputs(options, open, watcher);
  const { out, seed, shard: own = wholeWork } = options;
  await sweep({ dataset, points, engine, out, seed, shard: own, watcher });
}

/** Runs this same command once for each shard; when one fails, the others are stopped. */
async function inProcesses(processes: number, { signal }: CommandContext): Promise<void> {
  const given = process.argv.slice(1).filter((text, i, all) => {
    const isOption = (value: string | undefined): boolean => value === '--processes';
    return !isOption(text) && !isOption(all[i - 1]) && !text.startsWith('--processes=') && text !== '--json';
  });
  const children = Array.from({ length: processes }, (_, index) =>
    spawn(process.execPath, [...given, '--shard', `${index + 1}/${processes}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const stopAll = (): void => {
    for (const child of children) child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stopAll);
  const codes = await Promise.all(
    children.map(
      (child) =>
        new Promise<number | null>((resolve) => {
          child.on('error', () => {
            resolve(1);
          });
          child.on('close', (code) => {
            if (code !== 0) stopAll();
            resolve(code);
          });
        }),
    ),
  );
  signal.removeEventListener('abort', stopAll);
  if (signal.aborted) throw new Failure('interrupted', 'Stopped. Run the same command again to resume.');
  if (codes.some((code) => code !== 0))
    throw new Failure('training-failed', 'A process of the sweep failed; see its message above.');
}

function describe(rows: readonly SweepRow[]): string {
  if (rows.length === 0) return 'No results yet.';
  const lines = rows.map(({ harmonicMean, standardTop1, ausuc, folds, foldsInAll, settings }) => {
    const done = folds < foldsInAll ? `  (${folds} of ${foldsInAll} folds)` : '';
    return `${percentColumn(harmonicMean)}  ${percentColumn(standardTop1)}  ${percentColumn(ausuc)}  ${JSON.stringify(settings)}${done}`;
  });
  return ['    H  top-1  AUSUC  on validation classes, in %', ...lines].join('\n');
}
