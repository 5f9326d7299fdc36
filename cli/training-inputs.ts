/** The inputs that every training command has: settings, an engine, a dataset. */
import { dirname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { checkClassOrder, classOrderFindings } from '../trainer/baseline/class-order.js';
import type { Configuration } from '../trainer/configuration.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { describeFinding, type Finding } from '../trainer/datasets/findings.js';
import { loadWithWarnings, type LoadOptions } from '../trainer/datasets/load.js';
import type { Engine } from '../trainer/engine/contract.js';
import { presets, type PresetName } from '../trainer/presets.js';
import { readConfiguration } from '../trainer/read-configuration.js';
import { addLoadOptions } from './commands/dataset.js';
import type { CommandContext } from './context.js';
import { wholeNumber } from './numbers.js';

export interface TrainingOptions extends LoadOptions {
  readonly data: string;
  readonly out: string;
  readonly config?: string;
  readonly preset?: PresetName;
  readonly seed: number;
  readonly threads: number;
  readonly json?: boolean;
}

interface TrainingInputs {
  readonly engine: Engine;
  readonly dataset: Dataset;
  readonly findings: readonly Finding[]; // warnings alone: errors end the command
}

export function addTrainingOptions(command: Command): Command {
  command
    .option(
      '--config <file>',
      'settings as JSON; missing settings keep their default (or the value of the preset)',
    )
    .addOption(new Option('--preset <name>', 'ready-made settings').choices(Object.keys(presets)))
    .option(
      '--threads <count>',
      'threads of ONNX Runtime in each process; 0 for all cores that a container allows',
      wholeNumber,
      0,
    )
    .option('--json', 'print one JSON document');
  return addLoadOptions(command);
}

export function settingsOf({ preset, config }: TrainingOptions): Promise<Configuration> {
  return readConfiguration({ ...(preset && { preset }), ...(config && { file: config }) });
}

/** Opens the engine first: an engine that is not available should be reported before a large dataset is read. */
export async function openInputs(
  options: TrainingOptions,
  openEngine: () => Promise<Engine>,
  context: CommandContext,
): Promise<TrainingInputs> {
  const engine = await openEngine();
  context.note(`Reading ${options.data} …`);
  // Scratch files made from features on disk go beside the output, because temporary folders are often in memory.
  const scratch = dirname(resolve(options.out));
  const { dataset, findings } = await loadWithWarnings(options.data, { ...options, scratch });
  return { engine, dataset, findings };
}

/** Prints what `unseen dataset check` warns of, and returns it. */
export function noteWarnings({ dataset, findings }: TrainingInputs, context: CommandContext): Finding[] {
  const warnings = [...findings, ...classOrderFindings(checkClassOrder(dataset))];
  for (const warning of warnings) context.note(describeFinding(warning));
  return warnings;
}
