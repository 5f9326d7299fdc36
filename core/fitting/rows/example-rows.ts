/** Labelled pictures of classes as data rows: real rows, which share the weight of their class with its synthetic ones. */
import { headRows, type FeatureMapper } from '../../head/feature-map.js';
import type { Bundle } from '../../bundle/bundle.js';
import { matrix, stackRows, type Matrix } from '../../matrix.js';
import type { RuntimeClass } from '../runtime-class.js';
import { realBlock } from './real-block.js';
import type { FitRowSource, RealBlock, RowContext } from './row-source.js';

/** With so many pictures, they and the synthetic rows of a class weigh the same. */
const balancedAt = 10;

/** The part of a class's weight that its synthetic rows keep beside so many pictures. */
export function syntheticShare(pictures: number): number {
  return balancedAt / (balancedAt + pictures);
}

export class ExampleRows implements FitRowSource {
  private known = new Map<string, { readonly of: Matrix; readonly block: RealBlock }>();

  private constructor(
    private readonly context: RowContext,
    /** Of the bundle's few-shot classes: these stay the same. */
    private readonly bundleBlocks: readonly RealBlock[],
  ) {}

  static async open(context: RowContext): Promise<ExampleRows> {
    const { bundle, ownExamples } = context;
    const blocks: RealBlock[] = [];
    for (const [c, { name }] of bundle.manifest.classes.entries()) {
      const examples = ownExamples(name);
      if (examples) blocks.push(await blockOf(context, name, examples, c));
    }
    return new ExampleRows(context, blocks);
  }

  async blocks(classes: readonly RuntimeClass[]): Promise<readonly RealBlock[]> {
    const { manifest } = this.context.bundle;
    const next: typeof this.known = new Map();
    for (const [c, one] of classes.entries()) {
      const examples = await this.context.examplesOf(one);
      if (!examples) continue;
      const label = manifest.classes.length + c;
      const known = this.known.get(one.name);
      if (known?.of !== examples)
        next.set(one.name, { of: examples, block: await blockOf(this.context, one.name, examples, label) });
      else if (known.block.label[0] === label) next.set(one.name, known);
      // Only its place among the classes has changed: what is known of the rows stays true.
      else
        next.set(one.name, {
          of: examples,
          block: { ...known.block, label: known.block.label.map(() => label) },
        });
    }
    this.known = next;
    const isFixed = ({ label }: RealBlock): boolean => !next.has(manifest.classes[label[0]].name);
    return [...this.bundleBlocks.filter(isFixed), ...[...next.values()].map(({ block }) => block)];
  }
}

async function blockOf(
  context: RowContext,
  name: string,
  examples: Matrix,
  label: number,
): Promise<RealBlock> {
  const { settings, bundle } = context;
  const count = examples.rows;
  // A picture of a class that training had pictures of weighs as one of those; the others share the weight of a synthesised class.
  const isSeen = bundle.manifest.classes.some((own) => own.name === name && own.seen);
  const weight = isSeen
    ? 1 / bundle.replay.labels.length
    : (settings.classWeight * (1 - syntheticShare(count))) / count;
  const copied = matrix(count, examples.columns, examples.data.slice()); // realBlock scales what it is given
  const block = await realBlock(context, copied, {
    feature: Int32Array.from({ length: count }, (_, i) => i),
    label: new Int32Array(count).fill(label),
    weight: new Float64Array(count).fill(weight),
  });
  const features = matrix(count, examples.columns, examples.data); // of the block alone, because it is cached under them
  return { ...block, identity: features, features };
}

/** Pictures of classes as the head sees them: those of few-shot classes are in the bundle, others are mapped, each class's once. */
export class ExampleMapper {
  private readonly mapped = new WeakMap<Matrix, Matrix>();
  /** Of the bundle's few-shot classes, by name. */
  private readonly own: ReadonlyMap<string, Matrix>;

  constructor(
    private readonly mapper: FeatureMapper,
    { manifest, examples }: Pick<Bundle, 'manifest' | 'examples'>,
    private readonly length = manifest.head.temperature === null ? null : 1,
  ) {
    this.own = new Map(
      [...examples].map(([c, { rows, columns, data }]) => [
        manifest.classes[c].name,
        headRows(matrix(rows, columns, data.slice()), this.length),
      ]),
    );
  }

  /** What training had of a few-shot class. */
  ownOf(name: string): Matrix | null {
    return this.own.get(name) ?? null;
  }

  /** All pictures of a class: a few-shot class keeps those that training had. */
  async map({ name, examples }: Pick<RuntimeClass, 'name' | 'examples'>): Promise<Matrix | null> {
    const own = this.ownOf(name);
    if (!examples || examples.rows === 0) return own;
    const known = this.mapped.get(examples);
    if (known) return known;
    const added = headRows(await this.mapper.map(examples), this.length);
    const mapped = own ? stackRows([own, added]) : added;
    this.mapped.set(examples, mapped);
    return mapped;
  }
}
