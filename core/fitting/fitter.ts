/**
 * Fits the head rows of classes that are added at runtime; the bundle's own rows stay as they are. It blocks its thread while
 * it computes, so a server runs it in a process of its own. Calls must not overlap: await one before the next.
 */
import { adaptClasses } from '../adaptation/adapt-classes.js';
import type { Adaptation, AdaptationSettings } from '../adaptation/adaptation.js';
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { completeAttributes, type EstimatedAttributes } from '../head/attribute-completion.js';
import { AttributeReader } from '../head/attribute-reading.js';
import { confusionOf, outcomeOf, type DryRun, type PictureOutcome } from './confusion.js';
import { consolidate, type ConsolidatedHead } from './consolidation.js';
import { takeRows, type RowSource } from '../matrix.js';
import { IncrementalFit } from './incremental-fit.js';
import { RowAssembly } from './rows/row-assembly.js';
import type { FitOptions, FittedClass, RuntimeClass, RuntimeFit } from './runtime-class.js';

/** Pictures of a dry run that are judged; each takes a fit of its own. */
const maxPictures = 5;

export class RuntimeFitter {
  private readonly incremental: IncrementalFit;
  private reader: AttributeReader | null = null;

  private constructor(
    private readonly bundle: Bundle,
    private readonly assembly: RowAssembly,
    private readonly options: SessionOptions,
  ) {
    this.incremental = new IncrementalFit(assembly);
  }

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<RuntimeFitter> {
    return new RuntimeFitter(bundle, await RowAssembly.open(bundle, options), options);
  }

  /** The head rows of all runtime classes together, from the rows that they have. A call that fails changes no later one. */
  fit(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<RuntimeFit> {
    return this.incremental.fit(classes, options);
  }

  /** Which classes a candidate resembles, and which its pictures would be mistaken for. It may or may not be among the others. */
  async confusion(candidate: RuntimeClass, classes: readonly RuntimeClass[]): Promise<DryRun> {
    const others = classes.filter(({ name }) => name !== candidate.name);
    const pictures = await this.outcomes(candidate, others);
    const fitted = await this.fitted([...others, candidate]);
    const { attributes, name } = candidate;
    const likely = attributes.some(Number.isNaN)
      ? (await this.estimate(candidate, false)).values
      : attributes;
    return { ...(await confusionOf(this.assembly.context, fitted, name, likely)), pictures };
  }

  private async outcomes(
    { examples, attributes, name }: RuntimeClass,
    others: readonly RuntimeClass[],
  ): Promise<(PictureOutcome | null)[]> {
    const outcomes: (PictureOutcome | null)[] = [];
    for (let i = 0; i < Math.min(examples?.rows ?? 0, maxPictures); i++) {
      const rest = Array.from({ length: examples!.rows }, (_, k) => k).filter((k) => k !== i);
      if (rest.length === 0 && attributes.every(Number.isNaN)) return [null];
      const without = { name, attributes, ...(rest.length > 0 && { examples: takeRows(examples!, rest) }) };
      const fitted = await this.fitted([...others, without]);
      const { context } = this.assembly;
      const picture = await context.examplesOf({ name, attributes, examples: takeRows(examples!, [i]) });
      outcomes.push(await outcomeOf(context, fitted, name, picture!));
    }
    return outcomes;
  }

  private async fitted(classes: readonly RuntimeClass[]): Promise<FittedClass[]> {
    const { rows } = await this.incremental.fit(classes);
    return classes.map((one, i) => ({ ...one, row: rows[i] }));
  }

  /**
   * The attributes of a class that are not known, from those that are and from its pictures. Without pictures, how sure they are is
   * left out unless it is asked for.
   */
  async estimate(candidate: RuntimeClass, isWeighed = true): Promise<EstimatedAttributes> {
    const { attributes, examples } = candidate;
    if (!isWeighed && !examples) {
      const completed = completeAttributes(this.bundle.manifest, attributes);
      return { ...completed, errors: completed.known.map((isKnown) => (isKnown ? 0 : 1)) };
    }
    this.reader ??= new AttributeReader(this.bundle);
    return this.reader.estimate(attributes, await this.assembly.context.examplesOf(candidate));
  }

  /** All rows refitted, those of the bundle too, and whether that is better than the present ones. It takes seconds. */
  consolidate(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<ConsolidatedHead> {
    return consolidate(this.bundle, classes, { ...this.options, ...options });
  }

  /**
   * What unlabelled pictures say of the classes, from their features as the network extracts them (N, features). It changes nothing: each class
   * that moves comes with what a fit takes as its `assigned`; one of the bundle's own classes becomes a runtime class of the same name.
   */
  adapt(
    classes: readonly RuntimeClass[],
    features: RowSource,
    settings?: AdaptationSettings,
    signal?: AbortSignal,
  ): Promise<Adaptation> {
    return adaptClasses(this.assembly, classes, features, settings, signal);
  }

  release(): Promise<void> {
    return this.assembly.release();
  }
}
