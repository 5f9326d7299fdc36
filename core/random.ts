/**
 * Seeded pseudo-random numbers. Randomness is always an argument here, never ambient, so that a seed gives the same
 * model again. The generator is sfc32 (Doty-Humphrey's small fast counter, 128 bits of state, passes PractRand);
 * its state can be saved and restored, which is what makes a resumed run equal an uninterrupted one.
 */
export interface RandomState {
  readonly words: readonly [number, number, number, number];
  readonly spareNormal: number | null;
}

export class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 1;
  private spareNormal: number | null = null;

  constructor(seed: number) {
    this.a = seed >>> 0;
    this.b = Math.floor(seed / 2 ** 32) >>> 0;
    this.c = 0x9e3779b9;
    for (let i = 0; i < 16; i++) this.word(); // mixes the seed into all of the state
  }

  /** A stream of its own for one purpose, so that drawing more for one purpose never shifts another. */
  static stream(seed: number, purpose: string): Random {
    let hash = 0x811c9dc5; // FNV-1a over the purpose, then the seed
    for (let i = 0; i < purpose.length; i++) hash = Math.imul(hash ^ purpose.charCodeAt(i), 0x01000193);
    return new Random((hash >>> 0) * 2 ** 21 + (seed >>> 0));
  }

  static restore(state: RandomState): Random {
    const random = new Random(0);
    [random.a, random.b, random.c, random.counter] = state.words;
    random.spareNormal = state.spareNormal;
    return random;
  }

  save(): RandomState {
    return { words: [this.a, this.b, this.c, this.counter], spareNormal: this.spareNormal };
  }

  /** A uniform 32-bit word. */
  word(): number {
    const out = (this.a + this.b + this.counter) >>> 0;
    this.counter = (this.counter + 1) >>> 0;
    this.a = (this.b ^ (this.b >>> 9)) >>> 0;
    this.b = (this.c + (this.c << 3)) >>> 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + out) >>> 0;
    return out;
  }

  /** Uniform in [0, 1), with 53 bits. */
  uniform(): number {
    return ((this.word() >>> 5) * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }

  /** Uniform in 0 .. bound-1. */
  integer(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /** Standard normal, by Marsaglia's polar method. */
  normal(): number {
    if (this.spareNormal !== null) {
      const spare = this.spareNormal;
      this.spareNormal = null;
      return spare;
    }
    for (;;) {
      const u = (this.word() / 2 ** 32) * 2 - 1;
      const v = (this.word() / 2 ** 32) * 2 - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) {
        const factor = Math.sqrt((-2 * Math.log(s)) / s);
        this.spareNormal = v * factor;
        return u * factor;
      }
    }
  }

  fillNormal(target: Float32Array, scale = 1): Float32Array {
    for (let i = 0; i < target.length; i++) target[i] = this.normal() * scale;
    return target;
  }

  /** Fisher-Yates, in place. */
  shuffle<T extends { [index: number]: number; readonly length: number }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const held = items[i];
      items[i] = items[j]!;
      items[j] = held;
    }
    return items;
  }
}
