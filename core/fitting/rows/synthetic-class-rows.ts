/**
 * Synthetic rows: of the bundle's own unseen classes, which stay the same, and of the runtime classes. Those of a class with pictures lie
 * where attributes and pictures together put it.
 */
import type { Matrix } from '../../matrix.js';
import type { AssignedPictures, RuntimeClass } from '../runtime-class.js';
import { syntheticShare } from './example-rows.js';
import { drawsPerClass, rowsPerClass } from './row-budget.js';
import { picturesOf, seenLabelOf } from './pictures-of-class.js';
import type { FitRowSource, RowContext, SyntheticBlock } from './row-source.js';
import { shortenClasses } from './shorten-class.js';
import {
  knownShareOf,
  synthesiseClasses,
  type ClassToSynthesise,
  type SyntheticClass,
} from './synthetic-class.js';

interface AssembledClass {
  readonly block: SyntheticBlock;
  readonly given: readonly number[]; // the attributes as they were given
  readonly examples: Matrix | null; // mapped
  readonly assigned: AssignedPictures | undefined;
}

export class SyntheticClassRows implements FitRowSource {
  private known = new Map<string, AssembledClass>();

  private constructor(
    private readonly context: RowContext,
    private readonly bundleBlocks: readonly SyntheticBlock[],
  ) {}

  static async open(context: RowContext): Promise<SyntheticClassRows> {
    const { settings, budget, rowsPerDraw, encode, ownExamples } = context;
    const { classes } = context.bundle.manifest;
    const labels = Array.from(classes.keys()).filter((c) => settings.syntheticSeen || !classes[c].seen);
    const count = rowsPerClass(budget, settings.samplesPerClass, rowsPerDraw, labels.length);
    const described = labels.map((c) => ({
      name: classes[c].name,
      attributes: encode(classes[c].attributes),
      examples: ownExamples(classes[c].name),
    }));
    const synthesised = await synthesiseClasses(context, described, count, 'own');
    return new SyntheticClassRows(
      context,
      labels.map((label, i) => {
        const share = syntheticShare(described[i].examples?.rows ?? 0);
        return blockOf(label, synthesised[i], settings.classWeight * share);
      }),
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
    const examples: (Matrix | null)[] = [];
    for (const one of classes) examples.push(await context.examplesOf(one));
    const synthesised = await this.synthesise(classes, examples, count);
    const shortened = await shortenClasses(context, synthesised, count, 'runtime');
    const first = context.bundle.manifest.classes.length;
    const blocks = shortened.map((synthetic, c) => {
      const block = this.known.get(classes[c].name)?.block;
      const isSame = block?.synthetic === synthetic && block.label === first + c;
      return isSame ? block : blockOf(first + c, synthetic, this.weightOf(classes[c], examples[c]));
    });
    this.known = new Map(
      classes.map(({ name, attributes, assigned }, c) => [
        name,
        { block: blocks[c], given: attributes, examples: examples[c], assigned },
      ]),
    );
    const own = context.bundle.manifest.classes;
    const isFixed = ({ label }: SyntheticBlock): boolean => !this.known.has(own[label].name);
    return [...this.bundleBlocks.filter(isFixed), ...blocks];
  }

  /** A class with pictures gives a part of its weight to them; one that training had pictures of needs no synthetic rows. */
  private weightOf({ name }: RuntimeClass, examples: Matrix | null): number {
    const { settings } = this.context;
    if (!examples) return settings.classWeight;
    return seenLabelOf(this.context, name) >= 0 ? 0 : settings.classWeight * syntheticShare(examples.rows);
  }

  /** The classes with at least `count` rows each; those that were synthesised from the same attributes before are used again. */
  private async synthesise(
    classes: readonly RuntimeClass[],
    examples: readonly (Matrix | null)[],
    count: number,
  ) {
    const unknown: ClassToSynthesise[] = [];
    const found = classes.map(({ name, attributes, assigned }, c) => {
      const known = this.known.get(name);
      const isSame = known?.examples === examples[c] && known.assigned === assigned;
      const synthetic = isSame ? known.block.synthetic : undefined;
      const isLarge = synthetic !== undefined && synthetic.scales.length >= count;
      // The very same array needs no comparing: with thousands of classes, encoding all of them takes a good part of a second.
      if (isLarge && known?.given === attributes) return synthetic;
      const encoded = this.context.encode(attributes);
      if (isLarge && isEqual(synthetic.attributes, encoded)) return synthetic;
      unknown.push({
        name,
        attributes: encoded,
        ...picturesOf(this.context, name, examples[c]),
        assigned,
        knownShare: knownShareOf(attributes),
      });
      return undefined;
    });
    const draws = drawsPerClass(classes.length);
    const fresh = (await synthesiseClasses(this.context, unknown, count, 'runtime', draws)).values();
    return classes.map(({ name }, c) => ({ name, synthetic: found[c] ?? fresh.next().value! }));
  }
}

function blockOf(label: number, synthetic: SyntheticClass, weight: number): SyntheticBlock {
  const { attributes: identity } = synthetic; // an array of its own for each description of a class
  return { kind: 'synthetic', identity, label, weight, synthetic };
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, k) => Object.is(value, b[k]));
}
