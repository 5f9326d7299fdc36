/**
 * Fits the rows of classes that are added at runtime to the head of a bundle, whose own rows stay as they are. It blocks its
 * thread while it computes, so a server holds it in a worker. Calls must not overlap: await one before the next.
 */
import type { Bundle } from '../../bundle/bundle.js';
import type { SessionOptions } from '../../compute/session.js';
import { ClassFits, type FitOptions } from './class-fits.js';
import { confusionOf, type Confusion } from './confusion.js';
import { consolidate, type Consolidation } from './consolidate.js';
import type { RuntimeClass, RuntimeFit } from './runtime-class.js';
import { World } from './world.js';

export class RuntimeFitter {
  private readonly fits: ClassFits;

  private constructor(
    private readonly bundle: Bundle,
    private readonly world: World,
    private readonly options: SessionOptions,
  ) {
    this.fits = new ClassFits(world);
  }

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<RuntimeFitter> {
    return new RuntimeFitter(bundle, await World.open(bundle, options), options);
  }

  /** The rows of all runtime classes together, from the rows that they have; nothing that a later call needs is lost when it fails. */
  fit(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<RuntimeFit> {
    return this.fits.fit(classes, options);
  }

  /** Which classes a candidate is like, and which its pictures would be taken for. It may or may not be among the others. */
  async confusion(candidate: RuntimeClass, classes: readonly RuntimeClass[]): Promise<Confusion> {
    const all = [...classes.filter(({ name }) => name !== candidate.name), candidate];
    const { rows } = await this.fits.fit(all);
    return confusionOf(
      this.bundle,
      this.world,
      all.map((one, i) => ({ ...one, row: rows[i] })),
      candidate.name,
    );
  }

  /** All rows fitted anew, those of the bundle too, and whether that is better than what stands. For the background: it takes seconds. */
  consolidate(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<Consolidation> {
    return consolidate(this.bundle, classes, { ...this.options, ...options });
  }

  release(): Promise<void> {
    return this.world.release();
  }
}
