import { expect, test } from 'vitest';
import { notedLogger } from '../../cli/noted-logger.js';

test('what a server within a command warns of is a sentence, and no JSON among its results', async () => {
  const notes: string[] = [];
  const logger = await notedLogger({ note: (line) => notes.push(line) });
  logger.info('Serving.');
  logger.warn({ classes: 3 }, 'The calibration is not sure.');
  logger.error({ err: new Error('no such file') }, 'Reload failed');
  expect(notes).toEqual(['The calibration is not sure.', 'Reload failed: no such file']);
});
