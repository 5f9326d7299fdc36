import { describe, expect, test } from 'vitest';
import { EventQueue } from '../../bench/capacity/event-queue.js';
import type { ReplicaModel } from '../../bench/capacity/replica.js';
import { answerOfShard, mergeShardAnswers } from '../../bench/capacity/shards.js';
import { exponential, simulate } from '../../bench/capacity/simulate.js';
import { Random } from '../../core/random.js';

const random = (): Random => Random.stream(1, 'capacity test');
const requests = 100_000;

/** Within a tenth, the sampling error for this many requests. */
function expectNear(found: number, expected: number): void {
  expect(found / expected).toBeGreaterThan(0.9);
  expect(found / expected).toBeLessThan(1.1);
}

/** Pictures one at a time, nothing before the worker, and no limit: what textbooks have formulas for. */
const plain = (runSeconds: () => number): ReplicaModel => ({
  decodeSeconds: () => 0,
  decoders: 1,
  runSeconds,
  batchSizes: [1],
  queue: Infinity,
  queueSeconds: Infinity,
});

describe('the simulation agrees with queueing theory:', () => {
  const rate = 0.8; // arrivals for each second of service

  test('M/M/1, mean and 99th percentile of the time in the system', () => {
    const chance = random();
    const model = plain(() => exponential(chance, 1));
    const found = simulate(model, { replicas: 1, perSecond: rate, requests, balance: 'chance' }, chance);
    expectNear(found.meanSeconds, 1 / (1 - rate));
    expectNear(found.p99, Math.log(100) / (1 - rate));
    expect(found.utilisation).toBeCloseTo(rate, 1);
    expect(found.refusedShare).toBe(0);
  });

  test('M/D/1 (Pollaczek and Khinchine), also when ten replicas share ten times the load by chance', () => {
    const expected = 1 + rate / (2 * (1 - rate));
    for (const replicas of [1, 10]) {
      const plan = { replicas, perSecond: rate * replicas, requests, balance: 'chance' } as const;
      expectNear(
        simulate(
          plain(() => 1),
          plan,
          random(),
        ).meanSeconds,
        expected,
      );
    }
  });

  test('M/M/1/K: the share that a bounded queue refuses', () => {
    const [chance, places, load] = [random(), 5, 1.5];
    const model = { ...plain(() => exponential(chance, 1)), queue: places };
    const found = simulate(model, { replicas: 1, perSecond: load, requests, balance: 'chance' }, chance);
    const expected = ((1 - load) * load ** places) / (1 - load ** (places + 1));
    expectNear(found.refusedShare, expected);
  });

  test('M/M/c (Erlang): two decoders in front of a worker that takes no time', () => {
    const chance = random();
    const offered = 1.6; // of two decoders
    const model = { ...plain(() => 0), decodeSeconds: () => exponential(chance, 1), decoders: 2 };
    const found = simulate(model, { replicas: 1, perSecond: offered, requests, balance: 'chance' }, chance);
    const waits = offered ** 2 / 2 / (1 - offered / 2) / (1 + offered + offered ** 2 / 2 / (1 - offered / 2));
    expectNear(found.meanSeconds, 1 + waits / (2 - offered));
  });
});

describe('the simulation behaves as the server does:', () => {
  const model: ReplicaModel = {
    decodeSeconds: () => 0.001,
    decoders: 1,
    runSeconds: (pictures) => 0.02 + 0.08 * pictures,
    batchSizes: [1, 2, 4, 8],
    queue: 256,
    queueSeconds: 5,
  };
  const at = (perSecond: number, balance: 'chance' | 'least' = 'chance', replicas = 1) =>
    simulate(model, { replicas, perSecond, requests: 20_000, balance }, random());

  test('without load one picture goes at once; under load batches fill by themselves', () => {
    expect(at(0.1).p50).toBeCloseTo(0.101, 3);
    expect(at(0.1).picturesPerBatch).toBeCloseTo(1, 1);
    expect(at(12).picturesPerBatch).toBeGreaterThan(5);
  });

  test('past its capacity it refuses the rest, and those let in wait no longer than the limit and a batch', () => {
    const found = at(24); // it can do 8 in 0.66 s
    expect(found.refusedShare).toBeCloseTo(1 - 8 / 0.66 / 24, 1);
    expect(found.p99).toBeLessThan(5 + 3 * 0.66);
    expect(found.utilisation).toBeGreaterThan(0.99);
  });

  test('sending to the least busy replica is better than choosing at random', () => {
    expect(at(90, 'least', 10).p99).toBeLessThan(at(90, 'chance', 10).p99);
  });

  test('the same seed gives the same figures', () => {
    expect(at(10)).toEqual(at(10));
  });
});

test('events come in the order of their times, and of their adding where these are equal', () => {
  const queue = new EventQueue<number>();
  const times = Array.from({ length: 500 }, (_, i) => (i * 7919) % 97);
  times.forEach((time, i) => {
    queue.add(time, i);
  });
  const expected = times.map((time, i) => ({ time, i })).sort((a, b) => a.time - b.time || a.i - b.i);
  for (const { time, i } of expected) expect(queue.next()).toMatchObject({ time, event: i });
  expect(queue.next()).toBeUndefined();
});

test('answers merged from shards are those of the whole head, however its rows are spread', () => {
  const chance = random();
  const scored = Array.from({ length: 1000 }, (_, i) => ({
    class: `class ${i}`,
    score: 40 * chance.normal(), // far apart: exp() of them alone would overflow, or vanish
  }));
  const largest = Math.max(...scored.map(({ score }) => score));
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - largest), 0);
  const whole = scored
    .map(({ class: name, score }) => ({ class: name, probability: Math.exp(score - largest) / total }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, 5);
  for (const shards of [1, 2, 7, 100]) {
    const parts = Array.from({ length: shards }, (_, s) => scored.filter((__, i) => i % shards === s));
    const merged = mergeShardAnswers(
      parts.map((part) => answerOfShard(part, 5)),
      5,
    );
    expect(merged).toHaveLength(5);
    merged.forEach(({ class: name, probability }, i) => {
      expect(name).toBe(whole[i].class);
      expect(probability / whole[i].probability).toBeCloseTo(1, 12);
    });
  }
});
