/**
 * All rows against which runtime classes are fitted, asked of every source and laid out as one problem. The number of rows
 * is a matter of precision only, so it is bounded: real rows in all, and synthetic rows of a class the fewer the more
 * classes there are.
 */
import type { Bundle } from '../../bundle/bundle.js';
import { MatrixProducts } from '../../compute/matrix-products.js';
import type { SessionOptions } from '../../compute/session.js';
import { Failure } from '../../failures.js';
import { completeAttributes } from '../../head/attribute-completion.js';
import { encodeAttributes } from '../../head/attribute-encoder.js';
import { FeatureMapper } from '../../head/feature-map.js';
import { Generator } from '../../head/generator.js';
import { matrix } from '../../matrix.js';
import { EvidenceModel } from '../evidence.js';
import { PicturesAlone } from '../pictures-alone.js';
import { fitSettingsOf } from '../fit-settings.js';
import type { RuntimeClass } from '../runtime-class.js';
import { assembleRows, type Assembly } from './assemble.js';
import { ExampleMapper, ExampleRows } from './example-rows.js';
import { headWithout, MaskedOffsets } from './masked-offsets.js';
import { ReplayRows } from './replay-rows.js';
import { usualBudget, type RowBudget } from './row-budget.js';
import type { FitRowSource, RowBlock, RowContext } from './row-source.js';
import { residualsPerDraw, type SyntheticClass } from './synthetic-class.js';
import { SyntheticClassRows } from './synthetic-class-rows.js';

export interface AssembledRows extends Assembly {
  /** The runtime classes, by name: their labels follow those of the bundle's classes. */
  readonly names: readonly string[];
  readonly classes: readonly SyntheticClass[];
  /** For each of them the position of the bundle's class of that name, which it replaces; -1 for one that the bundle has not. */
  readonly replaces: readonly number[];
}

type OpenSource = (context: RowContext) => FitRowSource | Promise<FitRowSource>;

/** What stays the same whichever classes are fitted. */
interface Tools extends Pick<
  RowContext,
  | 'bundle'
  | 'settings'
  | 'budget'
  | 'products'
  | 'generator'
  | 'evidence'
  | 'rowsPerDraw'
  | 'encode'
  | 'mapper'
  | 'ownExamples'
  | 'examplesOf'
> {
  readonly release: () => Promise<void>;
}

interface Sources {
  /** All of the bundle's classes stay fixed: which of them are refitted does not affect the rows themselves. */
  readonly context: RowContext;
  readonly synthetic: SyntheticClassRows;
  readonly all: readonly FitRowSource[];
}

export class RowAssembly {
  private last: (AssembledRows & { readonly blocks: readonly RowBlock[] }) | undefined;
  private now: RowContext;
  private offsets: MaskedOffsets;

  private constructor(
    private readonly tools: Tools,
    private readonly sources: Sources,
  ) {
    this.now = sources.context;
    this.offsets = new MaskedOffsets(tools.products, tools.bundle, new Set());
  }

  static async open(
    bundle: Bundle,
    options: SessionOptions,
    budget = usualBudget,
    moreSources: readonly OpenSource[] = [],
  ): Promise<RowAssembly> {
    const tools = await openTools(bundle, options, budget);
    return new RowAssembly(tools, await openSources(tools, moreSources));
  }

  /** As of the last call of assemble(): which of the bundle's classes stay fixed depends on the classes that were given. */
  get context(): RowContext {
    return this.now;
  }

  /** The runtime classes as they were last assembled. */
  get classes(): ReadonlyMap<string, SyntheticClass> {
    return this.sources.synthetic.classes;
  }

  /** The rows for these classes, which come in the order of their names. Nothing is laid out again when no block has changed. */
  async assemble(classes: readonly RuntimeClass[]): Promise<AssembledRows> {
    const own = new Map(this.tools.bundle.manifest.classes.map(({ name }, c) => [name, c]));
    const replaces = classes.map(({ name }) => own.get(name) ?? -1);
    for (const one of classes) requireKnowledge(one);
    this.refit(new Set(replaces.filter((c) => c >= 0)));
    const blocks: RowBlock[] = [];
    for (const source of this.sources.all) blocks.push(...(await source.blocks(classes)));
    const { last } = this;
    if (last && last.blocks.length === blocks.length && blocks.every((block, i) => block === last.blocks[i]))
      return last;
    const known = this.classes;
    const names = classes.map(({ name }) => name);
    const placed = assembleRows(this.context, blocks);
    const baseOffsets = await this.offsets.of(placed);
    const described = names.map((name) => known.get(name)!);
    this.last = { ...placed, baseOffsets, blocks, names, replaces, classes: described };
    return this.last;
  }

  /** Every row's log-sum over the bundle's classes depends on which of them stay fixed. */
  private refit(refitted: ReadonlySet<number>): void {
    const now = this.context.refitted;
    if (now.size === refitted.size && [...refitted].every((c) => now.has(c))) return;
    const { products, bundle } = this.tools;
    this.now = { ...this.sources.context, base: headWithout(bundle, refitted), refitted };
    this.offsets = new MaskedOffsets(products, bundle, refitted);
    this.last = undefined;
  }

  release(): Promise<void> {
    return this.tools.release();
  }
}

async function openTools(bundle: Bundle, options: SessionOptions, budget: RowBudget): Promise<Tools> {
  const settings = fitSettingsOf(bundle.manifest);
  const products = await MatrixProducts.open(options);
  const generator = await Generator.open(bundle, options);
  const { featureMap, manifest } = bundle;
  const mapper = await FeatureMapper.open(featureMap, manifest.featureMap.mappedWidth, { threads: 1 });
  const examples = new ExampleMapper(mapper, bundle);
  return {
    bundle,
    settings,
    budget,
    products,
    generator,
    evidence: EvidenceModel.ofBundle(bundle),
    rowsPerDraw: settings.residual > 0 ? residualsPerDraw : 1,
    encode: encoderOf(bundle),
    mapper,
    ownExamples: (name) => examples.ownOf(name),
    examplesOf: (one) => examples.map(one),
    release: async () => {
      await generator.release();
      await mapper.release();
      await products.release();
    },
  };
}

async function openSources(tools: Tools, moreSources: readonly OpenSource[]): Promise<Sources> {
  const base = headWithout(tools.bundle, new Set());
  const replay = await ReplayRows.open({ ...tools, base }, tools.budget.maxRealRows);
  const { donors } = replay;
  const ofUnitRows = tools.settings.temperature === null ? null : donors.classMeans;
  const picturesAlone = PicturesAlone.of(tools.evidence.settings, ofUnitRows);
  const context: RowContext = { ...tools, base, refitted: new Set(), donors, picturesAlone };
  const synthetic = await SyntheticClassRows.open(context);
  // Every source of rows. A new one is a file beside these that implements FitRowSource, and an entry here.
  const all: FitRowSource[] = [replay, synthetic, await ExampleRows.open(context)];
  for (const open of moreSources) all.push(await open(context));
  return { context, synthetic, all };
}

function requireKnowledge({ name, attributes, examples }: RuntimeClass): void {
  if (!attributes.every(Number.isNaN) || (examples && examples.rows > 0)) return;
  throw new Failure(
    'attributes-invalid',
    `Nothing is known of ${name}. Give a finite number for at least one attribute, or a picture of it.`,
  );
}

/** Attributes that are not known are filled in; the same array is completed once. */
function encoderOf({ manifest }: Bundle): RowContext['encode'] {
  const completed = new WeakMap<readonly number[], readonly number[]>();
  return (attributes) => {
    let values = completed.get(attributes);
    if (!values) {
      ({ values } = completeAttributes(manifest, attributes));
      completed.set(attributes, values);
    }
    const given = matrix(1, values.length, Float32Array.from(values));
    return encodeAttributes(manifest.attributeEncoding, given).data;
  };
}
