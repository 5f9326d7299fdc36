/** Draws the example of docs/first-hour.md: node dist/demo/flags/draw-example.js OUT [PICTURES OF EACH CLASS] */
import { existsSync } from 'node:fs';
import { writeExample } from './example.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';

const [out, given = '12'] = process.argv.slice(2) as (string | undefined)[];
const count = Number(given);
if (out === undefined || !Number.isInteger(count) || count < 2) {
  console.error('Usage: node dist/demo/flags/draw-example.js OUT [PICTURES OF EACH CLASS, 2 or more; 12]');
  process.exit(2);
}
if (existsSync(out)) {
  console.error(`${out} exists already. Name another folder, or remove it first.`);
  process.exit(2);
}
await writeExample(out, { invented: inventedFlags, letters: letterFlags }, count);
console.log(
  `${out} has ${count} pictures of each of ${inventedFlags.length} classes, and attributes of them and of ${letterFlags.length} more.`,
);
