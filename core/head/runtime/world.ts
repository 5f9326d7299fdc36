/**
 * The data against which runtime classes are fitted: real rows of the bundle, synthetic rows of its own unseen classes,
 * and synthetic rows of the runtime classes, in the form of problem.ts.
 *
 * The number of rows is a matter of precision only, so it is bounded: real rows in all, and synthetic rows of a class the
 * fewer the more classes there are.
 */
import type { Bundle } from '../../bundle/bundle.js';
import type { SessionOptions } from '../../compute/session.js';
import { matrix } from '../../matrix.js';
import { encodeAttributes } from '../attribute-encoder.js';
import { Generator } from '../generator.js';
import { drawsPerPrototype, syntheticMass } from '../synthetic-rows.js';
import { fewDraws, manyClasses, rowsPerClass, usualBudget, type Budget } from './budget.js';
import { withFewerRows } from './fewer-rows.js';
import { layOut, type LabelledClass, type LaidOut } from './lay-out.js';
import { Products } from './products.js';
import { realRowsOf, type RealRows } from './real-rows.js';
import { recipeOf, type Recipe } from './recipe.js';
import type { RuntimeClass } from './runtime-class.js';
import {
  residualsPerDraw,
  synthesiseClasses,
  type ClassSource,
  type Described,
  type SyntheticClass,
} from './synthetic-class.js';

export interface Arrangement extends LaidOut {
  readonly names: readonly string[];
  readonly rowsPerClass: number;
  /** The first row of the first runtime class. */
  readonly firstRow: number;
}

export class World {
  private known = new Map<string, SyntheticClass>();
  /** The attributes of these as they were given. */
  private given = new Map<string, readonly number[]>();
  private last: Arrangement | undefined;

  private constructor(
    readonly source: ClassSource,
    private readonly bundle: Bundle,
    private readonly budget: Budget,
    private readonly realRows: RealRows,
    private readonly own: readonly LabelledClass[],
  ) {}

  static async open(bundle: Bundle, options: SessionOptions, budget = usualBudget): Promise<World> {
    const { manifest, weights, bias } = bundle;
    const recipe = recipeOf(manifest);
    const products = await Products.open(options);
    const realRows = await realRowsOf(bundle, products, budget.realRows);
    const source: ClassSource = {
      recipe,
      products,
      generator: await Generator.open(bundle, options),
      base: { weights, bias },
      lenders: realRows.lenders,
      rowsPerDraw: recipe.residual > 0 ? residualsPerDraw : 1,
      noiseWidth: manifest.head.noiseWidth,
    };
    const labels = Array.from(manifest.classes.keys());
    const synthesised = labels.filter((label) => recipe.syntheticSeen || !manifest.classes[label].seen);
    const count = rowsPerClass(source, budget, synthesised.length);
    const described = synthesised.map((label) => {
      const { name, attributes } = manifest.classes[label];
      return { name, attributes: encode(bundle, attributes) };
    });
    const made = await synthesiseClasses(source, described, count, 'own');
    const own = synthesised.map((label, i) => ({ label, made: made[i] }));
    return new World(source, bundle, budget, realRows, own);
  }

  /** The runtime classes as they were last arranged. */
  get classes(): ReadonlyMap<string, SyntheticClass> {
    return this.known;
  }

  /** Weight of one synthesised class, with 1 for all real rows. */
  get mass(): number {
    return massOf(this.source.recipe);
  }

  /**
   * L2 weight of a row. It is the one with which the bundle's own rows were fitted, and does not grow with the number of
   * runtime classes as it would in a fit of everything together: that way a class concerns its neighbours only, and
   * accuracy is no less than after such a fit (bench/runtime-parity.ts).
   */
  get regularisation(): number {
    return this.source.recipe.regularisation * (1 + this.mass * this.own.length);
  }

  encode(attributes: readonly number[]): Float32Array {
    return encode(this.bundle, attributes);
  }

  /** The rows of these classes, which come in the order of their names; what is known of them already is used again. */
  async arrange(classes: readonly RuntimeClass[]): Promise<Arrangement> {
    const { source, last } = this;
    const count = rowsPerClass(source, this.budget, classes.length);
    const draws = classes.length > manyClasses ? fewDraws : drawsPerPrototype;
    const unknown: Described[] = [];
    const found = classes.map(({ name, attributes }) => {
      const known = this.known.get(name);
      const isLarge = known !== undefined && known.scales.length >= count;
      // The very array needs no comparing: with thousands of classes, encoding them all takes a good part of a second.
      if (isLarge && this.given.get(name) === attributes) return known;
      const described = this.encode(attributes);
      if (isLarge && isEqual(known.attributes, described)) return known;
      unknown.push({ name, attributes: described });
      return undefined;
    });
    const fresh = (await synthesiseClasses(source, unknown, count, 'runtime', draws)).values();
    const all = classes.map(({ name }, c) => ({ name, made: found[c] ?? fresh.next().value! }));
    const made = await withFewerRows(source, all, count, 'runtime');
    this.given = new Map(classes.map(({ name, attributes }) => [name, attributes]));
    if (last && last.classes.length === made.length && made.every((one, c) => one === last.classes[c]))
      return last;
    const names = classes.map(({ name }) => name);
    const first = this.bundle.manifest.classes.length;
    const labelled = [...this.own, ...made.map((one, c) => ({ label: first + c, made: one }))];
    const { mass } = this;
    const laid = layOut(this.realRows, labelled, source.recipe, { mass, rowsPerDraw: source.rowsPerDraw });
    const firstRow = laid.baseSums.length - made.length * count;
    this.last = {
      ...laid,
      names,
      firstRow,
      rowsPerClass: count,
      classes: laid.classes.slice(this.own.length),
    };
    this.known = new Map(this.last.classes.map((one, c) => [names[c], one]));
    return this.last;
  }

  async release(): Promise<void> {
    await this.source.generator.release();
    await this.source.products.release();
  }
}

function massOf({ syntheticWeight, seenClasses }: Recipe): number {
  return syntheticMass(syntheticWeight, 1, seenClasses);
}

function encode({ manifest }: Bundle, attributes: readonly number[]): Float32Array {
  const given = matrix(1, attributes.length, Float32Array.from(attributes));
  return encodeAttributes(manifest.attributeEncoding, given).data;
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, k) => Object.is(value, b[k]));
}
