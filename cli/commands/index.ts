import type { AddCommand } from '../program.js';
import { addBackboneCommand } from './backbone.js';
import { addBaselineCommand } from './baseline.js';
import { addClassesCommand } from './classes.js';
import { addClassifyCommand } from './classify.js';
import { addDatasetCommand } from './dataset.js';
import { addDemoCommand } from './demo.js';
import { addEvaluateCommand } from './evaluate.js';
import { addExtractCommand } from './extract.js';
import { addInspectCommand } from './inspect.js';
import { addReproduceCommand } from './reproduce.js';
import { addServeCommand } from './serve.js';
import { addSweepCommand } from './sweep.js';
import { addTrainCommand } from './train.js';

export const commands: readonly AddCommand[] = [
  addDemoCommand,
  addServeCommand,
  addClassifyCommand,
  addClassesCommand,
  addTrainCommand,
  addEvaluateCommand,
  addBaselineCommand,
  addReproduceCommand,
  addSweepCommand,
  addDatasetCommand,
  addInspectCommand,
  addBackboneCommand,
  addExtractCommand,
];
