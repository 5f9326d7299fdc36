/**
 * All rows against which runtime classes are fitted, asked of every source and laid out as one problem. The number of rows
 * is a matter of precision only, so it is bounded: real rows in all, and synthetic rows of a class the fewer the more
 * classes there are.
 */
import type { Bundle } from '../../bundle/bundle.js';
import { MatrixProducts } from '../../compute/matrix-products.js';
import type { SessionOptions } from '../../compute/session.js';
import { encodeAttributes } from '../../head/attribute-encoder.js';
import { Generator } from '../../head/generator.js';
import { matrix } from '../../matrix.js';
import { fitSettingsOf } from '../fit-settings.js';
import type { RuntimeClass } from '../runtime-class.js';
import { assemble, type Assembly } from './assemble.js';
import { ReplayRows } from './replay-rows.js';
import { usualBudget } from './row-budget.js';
import type { FitRowSource, RowBlock, RowContext } from './row-source.js';
import { residualsPerDraw, type SyntheticClass } from './synthetic-class.js';
import { SyntheticClassRows } from './synthetic-class-rows.js';

export interface AssembledRows extends Assembly {
  /** The runtime classes, by name: their labels follow those of the bundle's classes. */
  readonly names: readonly string[];
  readonly classes: readonly SyntheticClass[];
}

type OpenSource = (context: RowContext) => FitRowSource | Promise<FitRowSource>;

export class RowAssembly {
  private last: (AssembledRows & { readonly blocks: readonly RowBlock[] }) | undefined;

  private constructor(
    readonly context: RowContext,
    private readonly synthetic: SyntheticClassRows,
    private readonly sources: readonly FitRowSource[],
  ) {}

  static async open(
    bundle: Bundle,
    options: SessionOptions,
    budget = usualBudget,
    moreSources: readonly OpenSource[] = [],
  ): Promise<RowAssembly> {
    const { manifest, weights, bias } = bundle;
    const settings = fitSettingsOf(manifest);
    const products = await MatrixProducts.open(options);
    const replay = await ReplayRows.open(bundle, products, budget.maxRealRows);
    const context: RowContext = {
      bundle,
      settings,
      budget,
      products,
      generator: await Generator.open(bundle, options),
      base: { weights, bias },
      donors: replay.donors,
      rowsPerDraw: settings.residual > 0 ? residualsPerDraw : 1,
      encode: (attributes) => encode(bundle, attributes),
    };
    const synthetic = await SyntheticClassRows.open(context);
    // Every source of rows. A new one is a file beside these that implements FitRowSource, and an entry here.
    const sources: FitRowSource[] = [replay, synthetic];
    for (const open of moreSources) sources.push(await open(context));
    return new RowAssembly(context, synthetic, sources);
  }

  /** The runtime classes as they were last assembled. */
  get classes(): ReadonlyMap<string, SyntheticClass> {
    return this.synthetic.classes;
  }

  /** The rows for these classes, which come in the order of their names. Nothing is laid out anew when no block has changed. */
  async assemble(classes: readonly RuntimeClass[]): Promise<AssembledRows> {
    const blocks: RowBlock[] = [];
    for (const source of this.sources) blocks.push(...(await source.blocks(classes)));
    const { last } = this;
    if (last && last.blocks.length === blocks.length && blocks.every((block, i) => block === last.blocks[i]))
      return last;
    const known = this.synthetic.classes;
    const names = classes.map(({ name }) => name);
    const placed = assemble(this.context, blocks);
    this.last = { ...placed, blocks, names, classes: names.map((name) => known.get(name)!) };
    return this.last;
  }

  async release(): Promise<void> {
    await this.context.generator.release();
    await this.context.products.release();
  }
}

function encode({ manifest }: Bundle, attributes: readonly number[]): Float32Array {
  const given = matrix(1, attributes.length, Float32Array.from(attributes));
  return encodeAttributes(manifest.attributeEncoding, given).data;
}
