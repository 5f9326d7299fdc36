/** Examples in the registry: replicas agree byte for byte, and a class of the bundle gets its own row back. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { toHalf } from '../../../core/half.js';
import { Random } from '../../../core/random.js';
import type { HeadRow } from '../../../core/head/head-table.js';
import { ClassRegistry } from '../../../server/classes/registry.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { bothKinds } from './store/support.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const exampleBackbone = 'the network of these tests';
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const random = new Random(5);
const example = (id: string) => ({
  ...{ id, backbone: exampleBackbone },
  features: toHalf(random.fillNormal(new Float32Array(bundle.manifest.featureMap.width), 1)),
});

async function open(url: string): Promise<ClassRegistry> {
  const store = await openStore(url, { pollMilliseconds: 50 });
  const { logger } = silentLogger();
  const registry = await ClassRegistry.open(store, bundle, { logger, consolidateAfter: 0, exampleBackbone });
  onTestFinished(async () => {
    registry.close();
    await store.close();
  });
  return registry;
}

/** Every row that a worker would start with, by name; the last one of a name counts. */
function rowsOf(registry: ClassRegistry): Map<string, number[]> {
  return new Map(registry.head().put.map(({ described, row }) => [described.name, valuesOf(row)]));
}

const valuesOf = ({ weights, bias }: HeadRow): number[] => [...weights, bias];
const soon = (): AbortSignal => AbortSignal.timeout(10_000);

describe.each(bothKinds())('three registries on one store in $kind', ({ freshUrl }) => {
  test('agree byte for byte on rows and examples, those of the bundle’s classes too, also after a restart', async () => {
    const url = await freshUrl();
    const [first, second, third] = [await open(url), await open(url), await open(url)];
    const [own, other] = bundle.manifest.classes.map(({ name }) => name);
    const trained = rowsOf(first).get(own)!;
    const heard: number[][] = [];
    second.onHead(({ put }) => {
      for (const { described, row } of put) if (described.name === own) heard.push(valuesOf(row));
    });
    const content = { name: 'gnu', attributes: vector(0.3) };
    await first.change([{ kind: 'create', content, examples: [example('a'), example('b')] }]);
    await second.change([{ kind: 'add-examples', name: own, examples: [example('c')] }], { by: 'ada' });
    const { revision } = await third.change([
      { kind: 'add-examples', name: 'gnu', examples: [example('d')] },
    ]);
    const all = [first, second, third, await open(url)];
    for (const registry of all) {
      await registry.reach(revision, soon());
      expect(rowsOf(registry)).toEqual(rowsOf(first));
      expect(registry.examplesOf('gnu')).toEqual(first.examplesOf('gnu'));
      expect([registry.get('gnu')?.examples, registry.get(own)?.examples]).toEqual([3, 1]);
      expect(registry.examplesOf(own)).toMatchObject([{ id: 'c', createdBy: 'ada', usable: true }]);
      expect(registry.get(own)).toMatchObject({ runtime: false });
      expect(registry.list().filter(({ name }) => name === own)).toHaveLength(1);
    }
    expect(rowsOf(first).get(own)).not.toEqual(trained);
    expect(rowsOf(first).get(other)).toEqual(rowsOf(await open(url)).get(other));

    const removed = await third.change([{ kind: 'remove-examples', name: own, ids: 'all' }]);
    for (const registry of all) {
      await registry.reach(removed.revision, soon());
      expect(rowsOf(registry).get(own)).toEqual(trained);
      expect(registry.get(own)).toMatchObject({ examples: 0, revision: 0 });
    }
    expect(heard.at(-1)).toEqual(trained); // workers that run are sent the bundle's own row again
    expect(rowsOf(await open(url)).get(own)).toEqual(trained);
  });
});
