/** Commits to a registry as fast as it can until it is killed, and says of each commit when it was acknowledged. */
import { writeSync } from 'node:fs';
import { openStore } from '../server/classes/store/open.js';
import { batchOf } from './registry-batch.js';

const [url, run] = process.argv.slice(2);
const store = await openStore(url);
let { position } = await store.load('none');
for (let number = 0; ; number++) {
  const result = await store.commit(batchOf(run, number), position);
  if (result.kind !== 'committed') throw new Error(`the only writer got ${result.kind}`);
  position = result.position;
  writeSync(1, `${number}\n`); // at once: what is still in a buffer when the kill comes was not acknowledged
}
