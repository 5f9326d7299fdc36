/** Labelled pictures of classes as data rows: real rows, which share the weight of their class with its synthetic ones. */
import { FeatureMapper, headRows } from '../../head/feature-map.js';
import type { Bundle } from '../../bundle/bundle.js';
import { matrix, type Matrix } from '../../matrix.js';
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

  constructor(private readonly context: RowContext) {}

  async blocks(classes: readonly RuntimeClass[]): Promise<readonly RealBlock[]> {
    const { manifest } = this.context.bundle;
    const next: typeof this.known = new Map();
    for (const [c, one] of classes.entries()) {
      const examples = await this.context.examplesOf(one);
      if (!examples) continue;
      const label = manifest.classes.length + c;
      const known = this.known.get(one.name);
      if (known?.of !== examples)
        next.set(one.name, { of: examples, block: await this.block(one, examples, label) });
      else if (known.block.label[0] === label) next.set(one.name, known);
      // Only its place among the classes has changed: what is known of the rows stays true.
      else
        next.set(one.name, {
          of: examples,
          block: { ...known.block, label: known.block.label.map(() => label) },
        });
    }
    this.known = next;
    return [...next.values()].map(({ block }) => block);
  }

  private async block({ name }: RuntimeClass, examples: Matrix, label: number): Promise<RealBlock> {
    const { settings, bundle } = this.context;
    const count = examples.rows;
    // A picture of a class that training had pictures of weighs as one of those; the others share the weight of a synthesised class.
    const isSeen = bundle.manifest.classes.some((own) => own.name === name && own.seen);
    const weight = isSeen
      ? 1 / bundle.replay.labels.length
      : (settings.classWeight * (1 - syntheticShare(count))) / count;
    const own = matrix(count, examples.columns, examples.data.slice()); // a block is cached under its features
    return realBlock(this.context, own, {
      feature: Int32Array.from({ length: count }, (_, i) => i),
      label: new Int32Array(count).fill(label),
      weight: new Float64Array(count).fill(weight),
    });
  }
}

/** Maps features of pictures as the network gives them; each class's once. */
export class ExampleMapper {
  private readonly mapped = new WeakMap<Matrix, Matrix>();

  private constructor(
    private readonly mapper: FeatureMapper,
    private readonly temperature: number | null,
  ) {}

  static async open({
    featureMap,
    manifest,
  }: Pick<Bundle, 'featureMap' | 'manifest'>): Promise<ExampleMapper> {
    const mapper = await FeatureMapper.open(featureMap, manifest.featureMap.mappedWidth, { threads: 1 });
    return new ExampleMapper(mapper, manifest.head.temperature);
  }

  async map({ examples }: RuntimeClass): Promise<Matrix | null> {
    if (!examples || examples.rows === 0) return null;
    const known = this.mapped.get(examples);
    if (known) return known;
    const mapped = headRows(await this.mapper.map(examples), this.temperature === null ? null : 1);
    this.mapped.set(examples, mapped);
    return mapped;
  }

  release(): Promise<void> {
    return this.mapper.release();
  }
}
