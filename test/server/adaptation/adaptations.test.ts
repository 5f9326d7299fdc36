/** Adaptations in the registry: a layer over the fitted rows, the same on every replica, that comes and goes by commits. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HeadRow } from '../../../core/head/head-table.js';
import type { AdaptationReport } from '../../../server/adaptation/contract.js';
import { ClassRegistry } from '../../../server/classes/registry.js';
import type { ClassStore } from '../../../server/classes/store/contract.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { bothKinds } from '../classes/store/support.js';
import { trainSmall, unlabelled } from './support.js';

const folder = temporaryFolder();
const { bundle } = await trainSmall(folder);
const exampleBackbone = 'the network of these tests';
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const signal = new AbortController().signal;
const soon = (): AbortSignal => AbortSignal.timeout(10_000);

async function open(url: string): Promise<{ registry: ClassRegistry; store: ClassStore }> {
  const store = await openStore(url, { pollMilliseconds: 50 });
  const { logger } = silentLogger();
  const options = { logger, consolidateAfter: 0, exampleBackbone, poolPictures: 5000 };
  const registry = await ClassRegistry.open(store, bundle, options);
  onTestFinished(async () => {
    registry.close();
    await store.close();
  });
  return { registry, store };
}

const valuesOf = ({ weights, bias }: HeadRow): number[] => [...weights, bias];
/** Every row that a worker would start with, by name; the last one of a name counts. */
const rowsOf = (registry: ClassRegistry): Map<string, number[]> =>
  new Map(registry.head().put.map(({ described, row }) => [described.name, valuesOf(row)]));

describe.each(bothKinds())('registries on one store in $kind', ({ freshUrl }) => {
  test('three replicas answer with the same rows byte for byte, after an adaptation, after its undoing, and after a restart', async () => {
    const url = await freshUrl();
    const [first, second, third] = [await open(url), await open(url), await open(url)];
    await first.registry.change([{ kind: 'create', content: { name: 'gnu', attributes: vector(0.3) } }]);
    await first.registry.adaptations.addPictures('photos', unlabelled());
    const before = rowsOf(first.registry);
    const heard = new Map<string, number[]>();
    second.registry.onHead(({ put }) => {
      for (const { described, row } of put) heard.set(described.name, valuesOf(row));
    });

    const report = await first.registry.adaptations.preview('photos', signal);
    expect(rowsOf(first.registry)).toEqual(before); // a dry run changes nothing
    const { adaptation, isNew } = await second.registry.adaptations.adapt('photos', 'ada', signal);
    expect(isNew).toBe(true);
    expect(adaptation).toMatchObject({ by: 'ada', isActive: true, undone: null });
    expect(adaptation.report).toEqual(report); // whichever replica computes it

    const all = [first, second, third, await open(url)];
    for (const { registry } of all) {
      await registry.reach(adaptation.revision, soon());
      expect(rowsOf(registry)).toEqual(rowsOf(second.registry));
    }
    const moved = report.classes.filter((one) => one.moved > 0).map(({ name }) => name);
    expect(moved.length).toBeGreaterThan(0);
    const after = rowsOf(first.registry);
    for (const name of moved) {
      expect(after.get(name)).not.toEqual(before.get(name));
      expect(heard.get(name)).toEqual(after.get(name)); // those who answer pictures were handed it
    }
    for (const { name, seen } of bundle.manifest.classes)
      if (seen) expect(after.get(name)).toEqual(before.get(name));

    const { revision } = await third.registry.adaptations.undo(adaptation.id, 'bob');
    for (const { registry } of [...all, await open(url)]) {
      await registry.reach(revision, soon());
      expect(rowsOf(registry)).toEqual(before);
    }
    expect(await first.registry.adaptations.list()).toMatchObject([
      { isActive: false, undone: { by: 'bob' } },
    ]);
  });

  test('classes are added, changed and removed below it, and undoing it gives exactly what there would be without it', async () => {
    const [adapted, plain] = [await open(await freshUrl()), await open(await freshUrl())];
    for (const { registry } of [adapted, plain])
      await registry.change([{ kind: 'create', content: { name: 'gnu', attributes: vector(0.3) } }]);
    await adapted.registry.adaptations.addPictures('photos', unlabelled());
    const { adaptation } = await adapted.registry.adaptations.adapt('photos', null, signal);
    const own = adaptation.report.classes.find(({ name, moved }) => moved > 0 && name !== 'gnu')!.name;
    const [ofOwn, withIt] = [rowsOf(adapted.registry).get(own), rowsOf(adapted.registry).get('gnu')];
    for (const { registry } of [adapted, plain]) {
      await registry.change([{ kind: 'create', content: { name: 'okapi', attributes: vector(0.7) } }]);
      await registry.change([
        { kind: 'replace', content: { name: 'gnu', attributes: vector(0.5) }, ifMatch: '*' },
      ]);
    }
    // The class that changed has a row of its own again; the others keep what they have learnt.
    expect(rowsOf(adapted.registry).get('gnu')).not.toEqual(withIt);
    expect(rowsOf(adapted.registry).get('gnu')).toEqual(rowsOf(plain.registry).get('gnu'));
    expect(rowsOf(adapted.registry).get(own)).toEqual(ofOwn);
    await adapted.registry.adaptations.undo(adaptation.id, null);
    expect(rowsOf(adapted.registry)).toEqual(rowsOf(plain.registry));
  });

  test('a request that is sent again under its key has its effect once, on any replica, and after it was undone', async () => {
    const url = await freshUrl();
    const [first, second] = [await open(url), await open(url)];
    await first.registry.adaptations.addPictures('photos', unlabelled());
    const request = { key: 'once', requestHash: 'photos' };
    const one = first.registry.adaptations;
    const both = await Promise.all([
      one.adaptOnce('photos', 'ada', request),
      one.adaptOnce('photos', 'ada', request),
    ]);
    expect(both.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
    const [{ adaptation }] = both;
    expect(both[1].adaptation.id).toBe(adaptation.id);
    expect(first.registry.revision).toBe(adaptation.revision);

    const other = await second.registry.adaptations.adaptOnce('photos', 'bob', request);
    expect(other).toMatchObject({ isRepeated: true, adaptation: { id: adaptation.id, by: 'ada' } });
    await one.undo(adaptation.id, null);
    const late = await one.adaptOnce('photos', 'ada', request);
    expect(late).toMatchObject({ isRepeated: true, adaptation: { id: adaptation.id, isActive: false } });
    expect((await one.list()).length).toBe(1);
    const reused = one.adaptOnce('photos', 'ada', { key: 'once', requestHash: 'another' });
    await expect(reused).rejects.toMatchObject({ code: 'idempotency-key-reused' });
  });
});

describe('one registry', () => {
  test('the same pictures again change nothing; other ones take their place, and undoing goes back step by step', async () => {
    const { registry } = await open('sqlite::memory:');
    const { adaptations } = registry;
    await adaptations.addPictures('many', unlabelled());
    await adaptations.addPictures(
      'few',
      unlabelled().filter((_, i) => i % 2 === 0),
    );
    const before = rowsOf(registry);
    const first = await adaptations.adapt('many', null, signal);
    const firstRows = rowsOf(registry);
    const again = await adaptations.adapt('many', null, signal);
    expect(again).toMatchObject({ isNew: false, adaptation: { id: first.adaptation.id } });
    expect(registry.revision).toBe(first.adaptation.revision);

    const second = await adaptations.adapt('few', null, signal);
    expect(rowsOf(registry)).not.toEqual(firstRows);
    const early = adaptations.undo(first.adaptation.id, null);
    await expect(early).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(second.adaptation.id),
    });
    await adaptations.undo(second.adaptation.id, null);
    expect(rowsOf(registry)).toEqual(firstRows);
    await adaptations.undo(first.adaptation.id, null);
    const { revision } = registry;
    expect(await adaptations.undo(first.adaptation.id, null)).toMatchObject({ isUndone: false }); // asked twice, it happens once
    expect(registry.revision).toBe(revision);
    expect(rowsOf(registry)).toEqual(before);
    await expect(adaptations.undo('another', null)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('an adaptation starts from what lies below the one in force, not from that one', async () => {
    const { registry } = await open('sqlite::memory:');
    const { adaptations } = registry;
    await adaptations.addPictures('photos', unlabelled());
    await adaptations.addPictures('others', unlabelled().slice(0, 130));
    await adaptations.adapt('photos', null, signal);
    const direct = rowsOf(registry);
    await adaptations.adapt('others', null, signal);
    await adaptations.adapt('photos', null, signal);
    expect(rowsOf(registry)).toEqual(direct);
  });

  test('a hundred pictures or fewer are refused, and so is a pool that nobody knows or of another network', async () => {
    const { registry, store } = await open('sqlite::memory:');
    const { adaptations } = registry;
    const refused = (pool: string) => expect(adaptations.preview(pool, signal)).rejects;
    await refused('nothing').toMatchObject({ code: 'not-found' });
    await refused('traffic').toMatchObject({
      code: 'too-few-pictures',
      message: expect.stringContaining('--learn-from-traffic'),
    });
    await adaptations.addPictures('photos', unlabelled().slice(0, 100));
    await refused('photos').toMatchObject({
      code: 'too-few-pictures',
      message: expect.stringContaining('100'),
    });
    const rows = unlabelled().map((one) => ({ ...one, at: Date.now() }));
    await store.pools.add({ pool: 'foreign', backbone: 'another network' }, rows, 9999);
    await refused('foreign').toMatchObject({
      code: 'too-few-pictures',
      message: expect.stringContaining('another network'),
    });
  });

  test('a report adds up, names what changes, and a change of answers is counted against what was answered before', async () => {
    const { registry } = await open('sqlite::memory:');
    const { adaptations } = registry;
    const pictures = unlabelled();
    await adaptations.addPictures('photos', pictures);
    const report = await adaptations.preview('photos', signal);
    const { mass, seenRows, changedAnswers, drift } = report;
    expect(report).toMatchObject({ pool: 'photos', pictures: pictures.length });
    expect(mass.seen + mass.unseen + mass.none).toBeCloseTo(1, 6);
    expect(mass.unseen).toBeGreaterThan(0.3); // five sixths of them are, and the guard takes its part
    expect(seenRows.rows).toBe(bundle.replay.labels.length);
    expect(changedAnswers.pictures).toBeGreaterThan(0);
    expect(changedAnswers.lastDay).toBeNull(); // nothing was classified
    for (const { before, after } of changedAnswers.examples) expect(before).not.toBe(after);
    expect(drift!.ratio).toBeGreaterThan(0.5);
    await adaptations.adapt('photos', null, signal);
    const after: AdaptationReport = await adaptations.preview('photos', signal);
    expect(after.changedAnswers.pictures).toBe(0);
    expect(after.classes).toEqual(report.classes);
  });

  test('pools of pictures are bounded together, listed and forgotten', async () => {
    const { registry } = await open('sqlite::memory:');
    const { adaptations } = registry;
    const many = unlabelled().slice(0, 120);
    expect(await adaptations.addPictures('a', [...many, ...many])).toBe(120);
    expect(await adaptations.pools()).toMatchObject([{ name: 'a', pictures: 120, unusable: 0 }]);
    expect(await adaptations.answered('a')).toEqual([{ answered: 'class-001', rows: 120 }]);
    expect(await adaptations.removePool('a')).toBe(120);
    expect(await adaptations.removePool('a')).toBeNull();
  });

  test('an adaptation that nobody waits for any more ends, and the next one works', async () => {
    const { registry } = await open('sqlite::memory:');
    const { adaptations } = registry;
    await adaptations.addPictures('photos', unlabelled());
    const gone = new AbortController();
    const waiting = adaptations.preview('photos', gone.signal);
    setTimeout(() => {
      gone.abort(new Error('the client went away'));
    }, 50);
    await expect(waiting).rejects.toThrow('the client went away');
    expect((await adaptations.preview('photos', signal)).pictures).toBe(unlabelled().length);
  });
});
