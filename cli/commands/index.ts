import type { AddCommand } from '../program.js';
import { addBaselineCommand } from './baseline.js';
import { addDatasetCommand } from './dataset.js';

export const commands: readonly AddCommand[] = [addDatasetCommand, addBaselineCommand];
