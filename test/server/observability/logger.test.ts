import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gathered } from '../../../server/observability/logger.js';

test('a line is written at once, those after it together and in order, and none is lost', async () => {
  const writes: string[] = [];
  const stream = gathered({ write: (lines) => void writes.push(lines) });
  stream.write('a\n');
  expect(writes).toEqual(['a\n']);
  for (const line of ['b\n', 'c\n', 'd\n']) stream.write(line);
  expect(writes).toEqual(['a\n']);
  await expect.poll(() => writes).toEqual(['a\n', 'b\nc\nd\n']);
  await sleep(200); // long quiet again
  stream.write('e\n');
  expect(writes.at(-1)).toBe('e\n');
});
