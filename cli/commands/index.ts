import type { AddCommand } from '../program.js';
import { addBaselineCommand } from './baseline.js';
import { addDatasetCommand } from './dataset.js';
import { addEvaluateCommand } from './evaluate.js';
import { addInspectCommand } from './inspect.js';
import { addTrainCommand } from './train.js';

export const commands: readonly AddCommand[] = [
  addTrainCommand,
  addEvaluateCommand,
  addBaselineCommand,
  addDatasetCommand,
  addInspectCommand,
];
