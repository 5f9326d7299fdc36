import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Admission } from '../../../server/inference/admission.js';
import { createMetrics } from '../../../server/observability/metrics.js';

const settings = { queue: 100, queueSeconds: 10, callerShare: 0.5, batchSize: 1, workers: 1 };
const never = () => new Promise<never>(() => undefined);

function open() {
  const metrics = createMetrics(new Registry());
  const admission = new Admission(settings, metrics);
  const refused = async (reason: string): Promise<number> =>
    (await metrics.refused.get()).values.find(({ labels }) => labels.reason === reason)!.value;
  return { admission, refused };
}

test('one caller may hold its share of the places, all of them together the whole queue', async () => {
  const { admission, refused } = open();
  const hold = (caller: string, places: number): void => {
    void admission.admit(
      caller,
      () => 0,
      (permit) => {
        permit.extendTo(places);
        return never();
      },
    );
  };
  hold('a', 50);
  expect(admission.overload('a', () => 0)).toMatchObject({ code: 'overloaded' });
  expect(admission.overload('b', () => 0)).toBeNull();
  expect(await refused('queue-share')).toBe(1);
  hold('b', 40);
  hold('c', 10);
  expect(admission.queued).toBe(100);
  expect(admission.overload('d', () => 0)?.message).toContain('100 pictures are waiting');
  expect(await refused('queue-full')).toBe(1);
});

test('one caller may fill its share of the longest wait, and others wait no longer than that for it', () => {
  const { admission } = open();
  const second = (before: number): number => before; // a second for each picture
  for (let i = 0; i < 6; i++) void admission.admit('a', second, () => admission.count(1, never));
  expect(admission.overload('a', second)?.message).toContain('6 pictures of this caller are waiting');
  expect(admission.overload('b', second)).toBeNull();
});

test('the only form of a caller is admitted however slow the machine is, and a second one is not', async () => {
  const { admission } = open();
  const slow = (before: number): number => 60 * before;
  const form = (): Promise<never> =>
    admission.admit('a', slow, (permit) => {
      permit.extendTo(16);
      return never();
    });
  void form();
  expect(admission.queued).toBe(16);
  await expect(form()).rejects.toThrow('16 pictures of this caller are waiting');
  expect(admission.queued).toBe(16);
});

test('places that are given back are there again, and nothing is remembered of the caller', async () => {
  const { admission } = open();
  await admission.admit(
    'a',
    () => 0,
    (permit) => {
      permit.extendTo(50);
      return Promise.resolve();
    },
  );
  expect(admission.queued).toBe(0);
  expect(admission.overload('a', () => 0, 50)).toBeNull();
  expect((Reflect.get(admission, 'takenBy') as Map<string, number>).size).toBe(0);
});
