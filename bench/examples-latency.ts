/**
 * How long five pictures of one class take beside many others, while clients classify:
 *   npm run bench -- examples-latency [--few 200] [--many 10000] [--rounds 7]
 * The class is a flag that the model does not know, added with its attributes; the others are copies of the model's classes with perturbed attributes. The same
 * pictures sent again change nothing and take only as long as their features: the difference is what comes after them, the fit and the
 * commit. The demonstration model serves, in a process of its own, with SQLite on disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UnseenClient } from '../client/index.js';
import { Random } from '../core/random.js';
import { letterFlags } from '../demo/flags/letters.js';
import { renderFlag } from '../demo/flags/render.js';
import { serverKey } from '../fixtures/server-key.js';
import { unknownFlags } from './examples/unknown-flags.js';
import { median } from './quantiles.js';
import { ClassAdder } from './serving/class-adder.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';
import { inconsistencies, watchfulClients } from './serving/watchful-clients.js';

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '200' },
    many: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '7' },
  },
});
const rounds = Number(values.rounds);
const picturesOfClass = 5;
const pictures = await benchmarkPictures(undefined);
const random = Random.stream(1, 'examples latency');

for (const [count, limit] of [
  [Number(values.few), 200],
  [Number(values.many), 2500],
] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-examples-'));
  const server = await ServerProcess.start({
    registry: `sqlite:${join(folder, 'classes.db')}`,
    'consolidate-after': 0,
  });
  try {
    await measure(server.url, count, limit);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, count: number, limit: number): Promise<void> {
  const adder = await ClassAdder.open(url, random);
  const unknown = unknownFlags().slice(0, 2 * (rounds + 1));
  await adder.addAll(unknown.map(({ flag: { name }, attributes }) => ({ name, attributes })));
  await adder.addMany(
    Array.from({ length: count - adder.ownClasses - unknown.length }, (_, i) => `added ${i}`),
  );
  const client = new UnseenClient({ url, key: serverKey, timeoutSeconds: 120 });
  for (const { isLoaded, isOwn } of [
    { isLoaded: false, isOwn: false },
    { isLoaded: false, isOwn: true },
    { isLoaded: true, isOwn: false },
  ]) {
    const clients = isLoaded ? watchfulClients(url, pictures, { clients: 2, added: adder.added }) : null;
    const [whole, features]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const flag = isOwn ? letterFlags[round] : unknown[round + (isLoaded ? rounds + 1 : 0)].flag;
      const drawn = [];
      for (let i = 0; i < picturesOfClass; i++) drawn.push(await renderFlag(flag, random));
      const started = performance.now();
      const { added } = await client.addExamples(flag.name, drawn);
      const between = performance.now();
      await client.addExamples(flag.name, drawn);
      if (added !== picturesOfClass) throw new Error(`${added} of ${picturesOfClass} pictures were added`);
      if (round === 0) continue; // the first class with examples makes the fit start over once
      whole.push(between - started);
      features.push(performance.now() - between);
    }
    const answers = clients?.drain() ?? [];
    await clients?.stop();
    const after = whole.map((time, i) => time - features[i]);
    const failed = answers.filter(({ status }) => status !== 200).length;
    const wrong = inconsistencies(answers, adder.added, adder.ownClasses).length;
    const load = clients
      ? `, while ${answers.length} pictures were classified, ${failed} of them failed, ${wrong} inconsistent`
      : '';
    console.log(
      `${count} classes, 5 pictures of one ${isOwn ? 'of the model' : 'that was added'}: ${median(whole).toFixed(0)} ms, of which ${median(after).toFixed(0)} ms after the features (limit ${limit} ms on an idle machine)${load}`,
    );
  }
}
