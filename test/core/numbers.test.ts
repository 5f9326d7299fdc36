import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromHalf, toHalf } from '../../core/half.js';
import { matrix, stackRows, takeRows } from '../../core/matrix.js';
import { Random } from '../../core/random.js';

describe('half precision', () => {
  test('every half survives the way through single precision and back', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i).filter((bits) => (bits & 0x7c00) !== 0x7c00);
    expect(toHalf(fromHalf(all))).toEqual(all);
  });

  test('no half lies nearer to a value than the one it gets', () => {
    fc.assert(
      fc.property(fc.float({ min: -60000, max: 60000, noNaN: true }), (value) => {
        const [bits] = toHalf(Float32Array.of(value));
        const error = (candidate: number): number => Math.abs(fromHalf(Uint16Array.of(candidate))[0] - value);
        for (const neighbour of [bits - 1, bits + 1]) {
          if (neighbour >= 0 && (neighbour & 0x7c00) !== 0x7c00 && neighbour < 65536) {
            expect(error(bits)).toBeLessThanOrEqual(error(neighbour));
          }
        }
      }),
    );
  });

  test('infinities, not-a-number and overflow are kept apart', () => {
    const values = fromHalf(toHalf(Float32Array.of(Infinity, -Infinity, NaN, 1e6, 1e-9)));
    expect(Array.from(values)).toEqual([Infinity, -Infinity, NaN, Infinity, 0]);
  });
});

describe('the random stream', () => {
  test('the same seed gives the same numbers, another seed or purpose others', () => {
    const draw = (random: Random): number[] => Array.from({ length: 5 }, () => random.normal());
    expect(draw(new Random(3))).toEqual(draw(new Random(3)));
    expect(draw(new Random(3))).not.toEqual(draw(new Random(4)));
    expect(draw(Random.stream(3, 'a'))).not.toEqual(draw(Random.stream(3, 'b')));
    expect(draw(Random.stream(3, 'a'))).not.toEqual(draw(Random.stream(4, 'a')));
  });

  test('goes on from a saved state, between the two normals of a pair too', () => {
    const random = new Random(9);
    random.normal();
    const copy = Random.restore(JSON.parse(JSON.stringify(random.save())) as ReturnType<Random['save']>);
    expect(Array.from({ length: 7 }, () => copy.normal())).toEqual(
      Array.from({ length: 7 }, () => random.normal()),
    );
  });

  test('normals have mean 0, variance 1 and normal tails', () => {
    const values = new Random(5).fillNormal(new Float32Array(200_000));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const beyondTwo = values.filter((value) => Math.abs(value) > 2).length / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(Math.abs(variance - 1)).toBeLessThan(0.02);
    expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(0.003);
  });

  test('integers are even over their range', () => {
    const random = new Random(6);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) counts[random.integer(7)] += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  test('a shuffle keeps every item', () => {
    const items = Array.from({ length: 100 }, (_, i) => i);
    const shuffled = new Random(1).shuffle([...items]);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.sort((a, b) => a - b)).toEqual(items);
  });
});

describe('matrices', () => {
  test('refuse data of another size', () => {
    expect(() => matrix(2, 3, new Float32Array(5))).toThrow('needs 6 values');
  });

  test('taken and stacked rows are copies in the order asked for', () => {
    const source = matrix(3, 2, Float32Array.of(0, 1, 2, 3, 4, 5));
    const taken = takeRows(source, [2, 0]);
    expect(Array.from(taken.data)).toEqual([4, 5, 0, 1]);
    taken.data[0] = 9;
    expect(source.data[4]).toBe(4);
    expect(Array.from(stackRows([taken, source]).data)).toEqual([9, 5, 0, 1, 0, 1, 2, 3, 4, 5]);
    expect(() => stackRows([taken, matrix(1, 3)])).toThrow('cannot stack');
  });
});
