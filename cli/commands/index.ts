import type { AddCommand } from '../program.js';

export const commands: readonly AddCommand[] = [];
