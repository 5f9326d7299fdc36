import { Random } from '../../random.js';

/**
 * Normal numbers from one random stream for each class, one class after another: a class that shares a run of the generator
 * with others gets the noise that it gets alone.
 */
export class ClassNoise extends Random {
  private position = 0;
  private current: Random | undefined;

  constructor(
    private readonly seed: number,
    private readonly purpose: string,
    private readonly classes: readonly { readonly name: string }[],
    private readonly numbersPerClass: number,
  ) {
    super(seed);
  }

  override fillNormal(target: Float32Array, scale = 1): Float32Array {
    for (let i = 0; i < target.length; i++) {
      if (this.position % this.numbersPerClass === 0) {
        const { name } = this.classes[this.position / this.numbersPerClass];
        this.current = Random.stream(this.seed, `${this.purpose}.${name}`);
      }
      target[i] = this.current!.normal() * scale;
      this.position += 1;
    }
    return target;
  }
}
