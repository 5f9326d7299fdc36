/** Workers open a network while its file is still being verified: what is wrong with the file must end the start all the same. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepBackbone } from '../../core/backbone/backbone.js';
import { loadCatalogue, modelFile } from '../../core/backbone/catalogue.js';
import { optimisedFolderOf } from '../../core/backbone/optimised-file.js';
import { silent } from '../../core/progress.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { serverConfigurationSchema } from '../../server/configuration.js';
import { startServer, type RunningServer } from '../../server/run.js';
import { temporaryFolder } from '../support/folders.js';
import { childrenOf } from '../../bench/serving/process-tree.js';
import { silentLogger } from '../support/silent-logger.js';
import { postPicture } from '../support/test-server.js';

const weights = temporaryFolder();
process.env.UNSEEN_CACHE = weights;
const { entry, model, identity } = smallBackbone();
await keepBackbone(loadCatalogue(), entry, model);
const { path } = await trainSmallBundle(temporaryFolder());
const settings = serverConfigurationSchema.parse({
  port: 0,
  threads: 1,
  registry: 'sqlite::memory:',
  graceSeconds: 0,
  adminKeys: ['a-key-that-is-long-enough'],
  bundle: path,
  backbone: entry.name,
});
const start = (): Promise<RunningServer> =>
  startServer(settings, { watcher: silent, logger: silentLogger().logger });

test('a network with an intact optimised form is refused where its own file is damaged', async () => {
  const folder = join(weights, entry.name);
  const answers: unknown[] = [];
  for (let i = 0; i < 2; i++) {
    const server = await start(); // the second opens the network ahead
    answers.push((await postPicture(server.url)).body.predictions);
    await expect
      .poll(() => existsSync(optimisedFolderOf({ folder, identity }, {})!), { timeout: 20_000 })
      .toBe(true);
    await server.stop(0);
  }
  expect(answers[1]).toEqual(answers[0]);
  const file = join(folder, modelFile);
  const intact = readFileSync(file);
  onTestFinished(() => {
    writeFileSync(file, intact);
  });
  writeFileSync(file, Buffer.from(intact).fill(7, 100, 120));
  const before = childrenOf(process.pid); // other files' tests share this process
  await expect(start()).rejects.toThrow(/is not the file that the catalogue describes/);
  await expect
    .poll(() => childrenOf(process.pid).filter((child) => !before.includes(child)), { timeout: 20_000 })
    .toEqual([]);
});
