/** The one pointer to the model that serves. A reload opens the next generation beside it and swaps the pointer. */
import { calibrationCaution } from '../../core/bundle/calibration-caution.js';
import type { Logger } from '../observability/logger.js';
import type { ServedModel, Serving } from './contract.js';
import { Generation, type GenerationContext } from './generation.js';
import type { LoadedModel } from './load-model.js';

export class CurrentModel implements Serving {
  private readonly retiring = new Set<Promise<void>>();

  private constructor(
    private generation: Generation,
    private readonly context: GenerationContext,
  ) {
    context.metrics.watchServing(() => servingFacts(this.generation, context));
    announce(generation, context.logger);
  }

  static async open(loaded: LoadedModel, context: GenerationContext): Promise<CurrentModel> {
    return new CurrentModel(await Generation.open(loaded, context), context);
  }

  get current(): Generation {
    return this.generation;
  }

  use<T>(work: (model: ServedModel) => Promise<T>): Promise<T> {
    return this.generation.use(work);
  }

  /** Takes over when the new generation is ready to answer; on failure the current one keeps serving. */
  async replace(loaded: LoadedModel): Promise<void> {
    const next = await Generation.open(loaded, this.context);
    const previous = this.generation;
    this.generation = next;
    this.context.metrics.networkDiffers.reset(); // it was about the previous model
    announce(next, this.context.logger);
    next.classes.warmUp();
    const retired = previous.retire().catch((error: unknown) => {
      this.context.logger.error({ err: error }, 'The previous model could not be closed.');
    });
    this.retiring.add(retired);
    void retired.then(() => this.retiring.delete(retired));
  }

  async close(): Promise<void> {
    await Promise.all([this.generation.close(), ...this.retiring]);
  }
}

function announce({ version, manifest, backbone, inference }: Generation, logger: Logger): void {
  const { name: dataset } = manifest.dataset;
  const { provider } = inference.state;
  const { name, precision } = backbone;
  logger.info(
    { version, dataset, backbone: name, precision, provider, classes: manifest.classes.length },
    'serving',
  );
  if (manifest.confidence === null)
    logger.warn(
      'This bundle is not calibrated: its probabilities are not frequencies, and answers have neither novelty nor verdict. Train it again to measure both.',
    );
  const caution = manifest.confidence && calibrationCaution(manifest.confidence);
  if (caution !== null) logger.warn(`The calibration of this bundle was ${caution}.`);
}

/** What the gauges show of the model that serves, asked at each scrape. */
function servingFacts(
  { version, manifest, backbone, classes, inference }: Generation,
  { settings, store, decoders }: GenerationContext,
) {
  const counts = { seen: 0, unseen: 0, runtime: 0, unusable: 0 };
  for (const { seen, runtime, unusable } of classes.list())
    counts[unusable !== undefined ? 'unusable' : runtime ? 'runtime' : seen ? 'seen' : 'unseen'] += 1;
  const { provider, workersReady } = inference.state;
  return {
    provider: { provider, requested: settings.provider },
    model: {
      version: version.slice(0, 12),
      dataset: manifest.dataset.name,
      backbone: backbone.name,
      precision: backbone.precision,
    },
    workersReady,
    workerBytes: inference.residentBytes,
    decodersReady: decoders.ready,
    classes: counts,
    examples: classes.exampleCount,
    registryRevision: classes.revision,
    registryUp: store.state().kind === 'up',
    registryWritable: store.state().kind === 'up' && store.writing().kind === 'up',
    registrySecondsBehind: classes.secondsBehind,
  };
}
