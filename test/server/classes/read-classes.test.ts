import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { serverKey } from '../../../fixtures/server-key.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { readClasses } from '../../../server/classes/read-classes.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { startTestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: other } = await trainSmallBundle(folder, 2);
const registry = `sqlite:${join(folder, 'classes.db')}`;
const { logger } = silentLogger();

test('the classes of a registry are read while a server uses it, also for a bundle that has no rows for them yet', async () => {
  const { url } = await startTestServer({ bundle: () => bundle, settings: { registry } });
  const client = new UnseenClient({ url, key: serverKey });
  const added = {
    name: 'added',
    attributes: bundle.manifest.classes[0].attributes.map((value) => value / 2),
  };
  await client.createClass(added);
  for (const one of [bundle, other]) {
    const { head, unusable } = await readClasses(registry, one, logger);
    expect(unusable).toEqual([]);
    expect(head.put).toHaveLength(one.manifest.classes.length + 1);
    expect(head.put.filter(({ described }) => described.runtime)).toMatchObject([
      { described: { name: 'added' } },
    ]);
  }
  expect(await client.class('added')).toMatchObject({ name: 'added', runtime: true });
});

test('a registry that is not there is refused, and not made', async () => {
  const missing = join(folder, 'missing.db');
  await expect(readClasses(`sqlite:${missing}`, bundle, logger)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('Name the one of your server') as string,
  });
  expect(existsSync(missing)).toBe(false);
});
