import type { AddCommand } from '../program.js';
import { addBackboneCommand } from './backbone.js';
import { addBaselineCommand } from './baseline.js';
import { addDatasetCommand } from './dataset.js';
import { addDemoCommand } from './demo.js';
import { addEvaluateCommand } from './evaluate.js';
import { addExtractCommand } from './extract.js';
import { addInspectCommand } from './inspect.js';
import { addTrainCommand } from './train.js';

export const commands: readonly AddCommand[] = [
  addDemoCommand,
  addTrainCommand,
  addEvaluateCommand,
  addBaselineCommand,
  addDatasetCommand,
  addInspectCommand,
  addBackboneCommand,
  addExtractCommand,
];
