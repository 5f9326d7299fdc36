/** Commits to a registry as fast as it can until it is killed, and reports each commit when it is acknowledged. */
import { writeSync } from 'node:fs';
import { openStore } from '../../server/classes/store/open.js';
import { batchOf } from './batch.js';

const [url, run] = process.argv.slice(2);
const store = await openStore(url);
let { position } = await store.load('none');
for (let number = 0; ; number++) {
  const result = await store.commit(batchOf(run, number), position);
  if (result.kind !== 'committed')
    throw new Error(`a commit of the only writer was answered with ${result.kind}`);
  position = result.position;
  writeSync(1, `${number}\n`); // unbuffered: a line that the kill cuts off was not acknowledged
}
