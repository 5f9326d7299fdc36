/**
 * Moves unseen classes to where unlabelled pictures say that they are. N pool rows, C classes of which U are unseen, D feature values.
 *
 *   repeat `rounds` times:
 *     P    = relaxed transport of the pool onto all classes and "none of these", cost -x_n · p_c - bias_c / T   (relaxed-transport.ts)
 *     e_c  = what pictures of seen classes send to unseen class c by mistake, under the same potentials        (mistakes.ts)
 *     n_c  = as how many pictures of class c counts what exceeds that                                          (counted-evidence.ts)
 *     p_c  = posterior mean of where attributes (and labelled pictures) put the class, and of the n_c pictures (core/fitting/evidence.ts)
 *
 * Seen classes take part and never move. Labelled pictures are rows whose assignment is known: they count with their class from the start.
 */
import type { MatrixProducts } from '../compute/matrix-products.js';
import { fromHalf, toHalf } from '../half.js';
import { matrix, rowOf, rowsAt, type Matrix, type RowSource } from '../matrix.js';
import type { Adaptation, AdaptationSettings, AdaptedClass } from './adaptation.js';
import type { AdaptationInput, CompetingPrototype } from './adaptation-input.js';
import { usualAdaptation } from './adaptation-settings.js';
import { cautionOf, effectivePictures, trustOfBins } from './counted-evidence.js';
import { dotProduct } from '../compute/dot-product.js';
import { mistakesOf, scaledMistakes, type Mistakes } from './mistakes.js';
import { movedPrototype } from './moved-prototype.js';
import { bestScores, countedSums, fitOf, receivedByBin, winnersOf } from './pool-passes.js';
import { solveRelaxed, type RelaxedTransport } from './relaxed-transport.js';
import { scoresThatFit, ScoredRows } from './scored-rows.js';
import { ScoringMemory } from './scoring-memory.js';
import { warningsOf } from './warnings.js';
import type { AssignedPictures } from '../fitting/runtime-class.js';
import { Turns } from '../stop.js';

const limits = { maxIterations: 60, tolerance: 1e-3 };
/** Cost of "none of these" for a picture that resembles no class, and, with the other sign, for one that does: beyond any other. */
const outOfQuestion = 100;
/** Of so many pictures, one is held out to see whether the classes fit better after than before. */
const heldOutOneOf = 5;
const minHeldOut = 20;

interface AdaptOptions {
  readonly isCompared?: boolean;
  /** Aborted by who no longer wants the result. */
  readonly signal?: AbortSignal | undefined;
}

/** Unless `isCompared` is false, a part of the pool is held out and a second adaptation made without it, to say what may be expected. */
export async function adapt(
  products: MatrixProducts,
  input: AdaptationInput,
  settings: AdaptationSettings = usualAdaptation,
  { isCompared = true, signal }: AdaptOptions = {},
): Promise<Adaptation> {
  const pool = new PoolAdapter(products, input, settings, signal && new Turns(signal));
  const found = await pool.run(input.pool);
  return pool.describe(found, isCompared ? await pool.expected(found) : null);
}

interface Adapted {
  readonly weights: Matrix; // (C, D): where the classes are now
  readonly assigned: readonly (AssignedPictures | null)[]; // (U)
  readonly transport: RelaxedTransport;
  readonly mistakes: Mistakes;
}

class PoolAdapter {
  private readonly seen: Int32Array;
  private readonly unseen: Int32Array;
  private readonly start: Matrix;
  private readonly offsets: Float64Array;
  private readonly columnOf: Int32Array;
  private readonly noneCosts = new WeakMap<RowSource, Float32Array>();
  private readonly memory = new ScoringMemory();

  constructor(
    private readonly products: MatrixProducts,
    private readonly input: AdaptationInput,
    private readonly settings: AdaptationSettings,
    private readonly turns: Turns | undefined,
  ) {
    const { classes, guard } = input;
    const columns = Int32Array.from(classes.keys());
    this.seen = columns.filter((c) => classes[c].seen);
    this.unseen = columns.filter((c) => !classes[c].seen);
    this.start = matrix(classes.length, input.evidence.featureWidth);
    classes.forEach(({ prototype }, c) => {
      rowOf(this.start, c).set(prototype);
    });
    this.offsets = Float64Array.from(classes, ({ bias }) => bias);
    const last = guard.labels.reduce((max, label) => Math.max(max, label), -1);
    this.columnOf = new Int32Array(last + 1).fill(-1);
    classes.forEach(({ label }, c) => {
      if (label !== null && label <= last) this.columnOf[label] = c;
    });
  }

  async run(pool: RowSource): Promise<Adapted> {
    const { classes, guard } = this.input;
    const { epsilon, rho } = this.settings;
    const rounds = this.settings.strength > 0 ? this.settings.rounds : 0; // nothing would move
    // With more scores than fit into memory, potentials and mistakes come from rows spread over the pool; sums always from all.
    const sample = scoresThatFit(pool, classes.length + 1);
    const perRow = pool.rows / Math.max(1, sample.rows);
    const columns = classes.length + 1;
    const problem = {
      epsilon,
      expected: new Float64Array(columns).fill(1 / classes.length),
      firmness: new Float64Array(columns).fill(rho).fill(0, classes.length),
    };
    let weights = this.start;
    let room: Matrix | undefined; // of the rows that moved
    let assigned: (AssignedPictures | null)[] = Array.from(this.unseen, () => null);
    let potentials: Float64Array | undefined;
    for (let round = 0; ; round++) {
      const costs = await this.scored(sample, weights);
      const transport: RelaxedTransport = await solveRelaxed(
        { costs, ...problem },
        potentials ? { ...limits, start: potentials } : limits,
      );
      ({ potentials } = transport);
      const sent = await mistakesOf(guard, await this.scored(guard.rows, weights), {
        potentials,
        epsilon,
        received: transport.masses.map((mass) => pool.rows * mass),
        pictures: pool.rows,
        seen: this.seen,
        unseen: this.unseen,
        columnOf: this.columnOf,
      });
      const received = Float64Array.from(this.unseen, (c) => pool.rows * transport.masses[c]);
      const mistakes = scaledMistakes(sent, cautionOf(received, sent.masses, this.settings));
      if (round === rounds) return { weights, assigned, transport, mistakes };
      const binned = await receivedByBin(costs, potentials, epsilon, this.unseen);
      for (let i = 0; i < binned.length; i++) binned[i] *= perRow;
      const { guard: strength } = this.settings;
      const trust = strength > 0 ? trustOfBins(binned, mistakes.binned, this.unseen.length) : null;
      const all = sample === pool ? costs : await this.scored(pool, weights);
      const { sums, counted } = await countedSums(
        this.products,
        all,
        potentials,
        epsilon,
        this.unseen,
        trust,
      );
      const pictures =
        strength > 0 ? effectivePictures(counted, received, mistakes.masses, strength) : received;
      const { strength: share } = this.settings;
      assigned = Array.from(this.unseen, (_, u) => this.evidenceOf(rowOf(sums, u), share * pictures[u]));
      room ??= matrix(this.start.rows, this.start.columns);
      weights = this.moved(assigned, room);
    }
  }

  /** How well pictures of the pool that had no say are explained, before and after. */
  async expected(found: Adapted): Promise<Adaptation['expected']> {
    const { epsilon } = this.settings;
    const pool = scoresThatFit(this.input.pool, this.start.rows + 1);
    const held = Array.from(pool.rows < heldOutOneOf * minHeldOut ? [] : Array(pool.rows).keys()).filter(
      (i) => i % heldOutOneOf === 0,
    );
    if (held.length === 0 || found.assigned.every((one) => one === null)) return null;
    const rest = Array.from(Array(pool.rows).keys()).filter((i) => i % heldOutOneOf !== 0);
    const { weights } = await this.run(rowsAt(pool, rest));
    const none = this.noneCosts.get(pool) ?? (await this.resemblances(pool));
    // Not a copy of them: stored rows are scaled to unit length as they are scored.
    const rows = rowsAt(
      pool,
      held.filter((n) => none[n] > 0),
    );
    if (rows.rows === 0) return null;
    const fit = (classes: Matrix): Promise<number> => {
      const scored = { weights: classes, offsets: this.offsets, noneCosts: null };
      return fitOf(new ScoredRows(this.products, rows, scored, this.memory), epsilon);
    };
    return { before: await fit(this.start), after: await fit(weights) };
  }

  async describe(
    { weights, assigned, transport, mistakes }: Adapted,
    expected: Adaptation['expected'],
  ): Promise<Adaptation> {
    const { classes, pool } = this.input;
    const position = new Map(Array.from(this.unseen, (c, u) => [c, u]));
    const adapted = classes.map(({ name, seen, prototype }, c): AdaptedClass => {
      const u = position.get(c);
      const pictures = pool.rows * transport.masses[c];
      const evidence = u === undefined ? null : assigned[u];
      return {
        name,
        seen,
        pictures,
        byMistake: u === undefined ? 0 : Math.min(mistakes.masses[u], pictures),
        // The cosine of a row with itself may round to below 1: a class without evidence has not moved.
        moved: evidence ? Math.max(0, 1 - dotProduct(prototype, rowOf(weights, c))) : 0,
        assigned: evidence,
      };
    });
    const winners = await winnersOf(
      await this.scored(pool, weights),
      transport.potentials,
      this.settings.epsilon,
    );
    const none = Int32Array.from(winners.keys()).filter((n) => winners[n] === classes.length);
    const ofUnseen = adapted.reduce((sum, one) => sum + (one.seen ? 0 : one.pictures - one.byMistake), 0);
    const described = {
      pictures: pool.rows,
      classes: adapted,
      none: { share: transport.masses[classes.length], rows: none },
      unseenShare: Math.max(0, ofUnseen) / Math.max(1, pool.rows),
      transport: { iterations: transport.iterations, marginalError: transport.marginalError },
      expected,
    };
    return { ...described, warnings: warningsOf(described, this.settings.strength) };
  }

  private evidenceOf(sum: Float32Array, pictures: number): AssignedPictures | null {
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
    if (pictures < smallestEvidence || length === 0) return null;
    const mean = sum.map((value) => (this.input.meanLength * value) / length);
    return { mean: fromHalf(toHalf(mean)), pictures };
  }

  private moved(assigned: readonly (AssignedPictures | null)[], weights: Matrix): Matrix {
    const { classes } = this.input;
    weights.data.set(this.start.data);
    this.unseen.forEach((c, u) => {
      const own: CompetingPrototype = classes[c];
      const given = assigned[u];
      if (given) rowOf(weights, c).set(movedPrototype(own, given, this.input));
    });
    return weights;
  }

  private async scored(rows: RowSource, weights: Matrix): Promise<ScoredRows> {
    const noneCosts = this.noneCosts.get(rows) ?? (await this.resemblances(rows));
    this.noneCosts.set(rows, noneCosts);
    const { offsets, turns } = this;
    const keptAs = rows === this.input.guard.rows ? 'guard' : 'pool';
    return new ScoredRows(this.products, rows, { weights, offsets, noneCosts, keptAs, turns }, this.memory);
  }

  /** Whether a picture resembles any class is decided by where the classes were at first: one that moves to foreign pictures would take them all. */
  private async resemblances(rows: RowSource): Promise<Float32Array> {
    const offsets = new Float64Array(this.start.rows);
    const columns = { weights: this.start, offsets, noneCosts: null };
    const scored = new ScoredRows(this.products, rows, columns, this.memory);
    const { minCosine: leastLikeness } = this.input.guard;
    return Float32Array.from(await bestScores(scored), (best) =>
      best < leastLikeness ? -outOfQuestion : outOfQuestion,
    );
  }
}

/** Less than so much of a picture moves nothing that could be noticed. */
const smallestEvidence = 0.01;
