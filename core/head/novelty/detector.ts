/** Novelty of pictures among the classes of a head table. Classes added while serving take part by their head rows, like all others. */
import type { Bundle } from '../../bundle/bundle.js';
import type { NoveltyDescription } from '../../bundle/confidence-description.js';
import type { SessionOptions } from '../../compute/session.js';
import { rowOf, type Matrix } from '../../matrix.js';
import type { HeadTable } from '../head-table.js';
import { lengthOf } from '../synthetic-rows.js';
import { NoveltyObserver, unpackGeometry, type Observed } from './geometry.js';
import { LikelihoodRatios, type PlacedClass } from './likelihood-ratio.js';
import { noveltyOf } from './scale.js';
import { noveltyScore } from './score.js';

/** The best classes are enough: with more of them the ratios are the same (docs/experiments.md). */
export const likeliestCount = 5;

/** What the head finds in one picture. */
interface Scored {
  readonly entropy: number;
  readonly bestScore: number; // sharpened
  readonly unseenProbability: number;
  readonly likeliest: readonly number[]; // places in the table, best first
}

export class NoveltyDetector {
  private readonly ratios: LikelihoodRatios;
  /** By their place in the table, until it changes. */
  private readonly placed = new Map<number, PlacedClass>();
  private placedVersion = -1;

  private constructor(
    private readonly description: NoveltyDescription,
    private readonly observer: NoveltyObserver,
    private readonly table: HeadTable,
  ) {
    this.ratios = new LikelihoodRatios(description, description.withinShares);
  }

  /** Null where the bundle was not measured for it. */
  static async open(
    { manifest, novelty }: Pick<Bundle, 'manifest' | 'novelty'>,
    table: HeadTable,
    options: SessionOptions,
  ): Promise<NoveltyDetector | null> {
    const description = manifest.confidence?.novelty;
    if (!description || !novelty) return null;
    const observer = await NoveltyObserver.open(unpackGeometry(novelty), options);
    return new NoveltyDetector(description, observer, table);
  }

  observe(mapped: Matrix): Promise<Observed> {
    return this.observer.observe(mapped);
  }

  novelty({ far, projected, residual }: Observed, row: number, { likeliest, ...scored }: Scored): number {
    const classes = likeliest.slice(0, likeliestCount).map((place) => this.classAt(place));
    const ratios = this.ratios.ratios(rowOf(projected, row), classes);
    const rowLength = lengthOf(rowOf(this.table.head.weights, likeliest[0]));
    const signs = { ...scored, ratios, rowLength, residual: residual[row], far: far[row] };
    const score = noveltyScore(signs, this.description);
    return noveltyOf(score, this.description);
  }

  release(): Promise<void> {
    return this.observer.release();
  }

  private classAt(place: number): PlacedClass {
    if (this.placedVersion !== this.table.version) {
      this.placed.clear();
      this.placedVersion = this.table.version;
    }
    let found = this.placed.get(place);
    if (!found) {
      const { weights } = this.table.head;
      const at = this.observer.placeOf(rowOf(weights, place), this.description);
      found = this.ratios.placed(at, this.table.unseenShares[place]);
      this.placed.set(place, found);
    }
    return found;
  }
}
