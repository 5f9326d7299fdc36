import { Random } from '../../random.js';

/** Normal numbers of one class's stream after another's: classes that share a run of the generator have the noise they have alone. */
export class NoiseOfClasses extends Random {
  private position = 0;
  private current: Random | undefined;

  constructor(
    private readonly seed: number,
    private readonly purpose: string,
    private readonly classes: readonly { readonly name: string }[],
    private readonly perClass: number, // numbers
  ) {
    super(seed);
  }

  override fillNormal(target: Float32Array, scale = 1): Float32Array {
    for (let i = 0; i < target.length; i++) {
      if (this.position % this.perClass === 0) {
        const { name } = this.classes[this.position / this.perClass];
        this.current = Random.stream(this.seed, `${this.purpose}.${name}`);
      }
      target[i] = this.current!.normal() * scale;
      this.position += 1;
    }
    return target;
  }
}
