/** Synthetic rows: of the bundle's own unseen classes, which stay the same, and of the runtime classes. */
import type { RuntimeClass } from '../runtime-class.js';
import { drawsPerClass, rowsPerClass } from './row-budget.js';
import type { FitRowSource, RowContext, SyntheticBlock } from './row-source.js';
import { shortenClasses } from './shorten-class.js';
import { synthesiseClasses, type DescribedClass, type SyntheticClass } from './synthetic-class.js';

interface KnownClass {
  readonly block: SyntheticBlock;
  readonly given: readonly number[]; // the attributes as they were given
}

export class SyntheticClassRows implements FitRowSource {
  private known = new Map<string, KnownClass>();

  private constructor(
    private readonly context: RowContext,
    private readonly bundleBlocks: readonly SyntheticBlock[],
  ) {}

  static async open(context: RowContext): Promise<SyntheticClassRows> {
    const { settings, budget, rowsPerDraw, encode } = context;
    const { classes } = context.bundle.manifest;
    const labels = Array.from(classes.keys()).filter((c) => settings.syntheticSeen || !classes[c].seen);
    const count = rowsPerClass(budget, settings.samplesPerClass, rowsPerDraw, labels.length);
    const described = labels.map((c) => ({
      name: classes[c].name,
      attributes: encode(classes[c].attributes),
    }));
    const synthesised = await synthesiseClasses(context, described, count, 'own');
    return new SyntheticClassRows(
      context,
      labels.map((label, i) => blockOf(context, label, synthesised[i])),
    );
  }

  /** The runtime classes as of the last call of blocks(). */
  get classes(): ReadonlyMap<string, SyntheticClass> {
    return new Map([...this.known].map(([name, { block }]) => [name, block.synthetic]));
  }

  async blocks(classes: readonly RuntimeClass[]): Promise<readonly SyntheticBlock[]> {
    const { context } = this;
    const { settings, budget, rowsPerDraw } = context;
    const count = rowsPerClass(budget, settings.samplesPerClass, rowsPerDraw, classes.length);
    const synthesised = await this.synthesise(classes, count);
    const shortened = await shortenClasses(context, synthesised, count, 'runtime');
    const first = context.bundle.manifest.classes.length;
    const blocks = shortened.map((synthetic, c) => {
      const block = this.known.get(classes[c].name)?.block;
      const isSame = block?.synthetic === synthetic && block.label === first + c;
      return isSame ? block : blockOf(context, first + c, synthetic);
    });
    this.known = new Map(
      classes.map(({ name, attributes }, c) => [name, { block: blocks[c], given: attributes }]),
    );
    return [...this.bundleBlocks, ...blocks];
  }

  /** The classes with at least `count` rows each; those that were synthesised from the same attributes before are used again. */
  private async synthesise(classes: readonly RuntimeClass[], count: number) {
    const unknown: DescribedClass[] = [];
    const found = classes.map(({ name, attributes }) => {
      const known = this.known.get(name);
      const synthetic = known?.block.synthetic;
      const isLarge = synthetic !== undefined && synthetic.scales.length >= count;
      // The very same array needs no comparing: with thousands of classes, encoding all of them takes a good part of a second.
      if (isLarge && known?.given === attributes) return synthetic;
      const encoded = this.context.encode(attributes);
      if (isLarge && isEqual(synthetic.attributes, encoded)) return synthetic;
      unknown.push({ name, attributes: encoded });
      return undefined;
    });
    const draws = drawsPerClass(classes.length);
    const fresh = (await synthesiseClasses(this.context, unknown, count, 'runtime', draws)).values();
    return classes.map(({ name }, c) => ({ name, synthetic: found[c] ?? fresh.next().value! }));
  }
}

function blockOf({ settings }: RowContext, label: number, synthetic: SyntheticClass): SyntheticBlock {
  const { attributes: identity } = synthetic; // an array of its own for each description of a class
  return { kind: 'synthetic', identity, label, weight: settings.classWeight, synthetic };
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, k) => Object.is(value, b[k]));
}
