import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { postgresForThisFile } from '../../support/postgres.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { send, startTestServer } from '../../support/test-server.js';

const postgres = postgresForThisFile();

test('the metrics say when the registry is out of reach, and when it is back', async () => {
  const { bundle } = await trainSmallBundle(temporaryFolder());
  const registry = await postgres().createDatabase();
  const server = await startTestServer({ bundle: () => bundle, settings: { registry } });
  const sample = async (name: string): Promise<number> => {
    const page = (await send(`${server.url}/metrics`)).body as string;
    return Number(page.split(`\n${name} `)[1].split('\n')[0]);
  };
  expect(await sample('unseen_registry_up')).toBe(1);
  expect(await sample('unseen_registry_behind_seconds')).toBe(0);
  await postgres().stop();
  await expect.poll(() => sample('unseen_registry_up')).toBe(0);
  await postgres().start();
  await expect.poll(() => sample('unseen_registry_up')).toBe(1);
});
