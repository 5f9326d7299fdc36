/**
 * What happens to pools without a request: features past their time are forgotten, the sample of classified pictures is surveyed once an
 * hour, and, only where `--adapt-every` asks for it, an adaptation that a survey recommends is committed. One replica does it for all.
 */
import { randomUUID } from 'node:crypto';
import { Failure } from '../../core/failures.js';
import type { ClassStore } from '../classes/store/contract.js';
import { trafficPool } from '../classes/store/pools.js';
import type { ServerConfiguration } from '../configuration.js';
import type { CurrentModel } from '../model/current-model.js';
import type { Generation } from '../model/generation.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { auditedRevisions } from '../http/audit.js';
import type { AdaptationOutcome, AdaptationReport } from './contract.js';

interface WatchContext {
  readonly settings: Pick<ServerConfiguration, 'learnFromTraffic' | 'poolDays' | 'adaptEvery'>;
  readonly models: CurrentModel;
  readonly store: ClassStore;
  readonly metrics: Pick<Metrics, 'poolRows' | 'poolMass' | 'poolDrift' | 'lastAdaptation'>;
  readonly logger: Logger;
  /** Between looks. */
  readonly seconds?: number;
  /** Between surveys, by whichever replica. */
  readonly surveyHours?: number;
}

const hour = 3_600_000;
const day = 24 * hour;
/** A replica that dies while it computes is succeeded after so long. */
const holdMilliseconds = hour;

export class PoolWatch {
  private readonly id = randomUUID();
  private readonly closing = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private hasFailed = false;

  constructor(private readonly context: WatchContext) {}

  /** Now, and then from time to time. */
  start(): void {
    this.running = this.check().finally(() => {
      if (this.closing.signal.aborted) return;
      this.timer = setTimeout(
        () => {
          this.start();
        },
        (this.context.seconds ?? 30) * 1000,
      );
      this.timer.unref();
    });
  }

  async close(): Promise<void> {
    this.closing.abort(new Failure('draining', 'The server is stopping. Try again.'));
    clearTimeout(this.timer);
    await this.running;
  }

  /** One look; for tests, too. */
  async check(): Promise<void> {
    const { store, settings, models, logger } = this.context;
    try {
      if (store.writing().kind === 'up') await this.expire(Date.now() - settings.poolDays * day);
      await models.current.use(() => this.checkModel(models.current));
      this.hasFailed = false;
    } catch (error) {
      if (this.closing.signal.aborted) return;
      if (!this.hasFailed)
        logger.warn({ err: error }, 'Maintaining the pools of unlabelled pictures failed; trying again.');
      this.hasFailed = true;
    }
  }

  /** Only where there is something to forget: a look should not write otherwise. */
  private async expire(before: number): Promise<void> {
    const { pools } = this.context.store;
    const isDue = (await pools.list()).some(({ oldest }) => oldest === null || oldest < before);
    if (isDue) await pools.expire(before);
  }

  private async checkModel(generation: Generation): Promise<void> {
    const { settings, store, metrics } = this.context;
    const pools = await generation.adaptations.pools();
    const traffic = pools.find(({ name }) => name === trafficPool)?.pictures ?? 0;
    const sent = pools.reduce((sum, one) => sum + (one.name === trafficPool ? 0 : one.pictures), 0);
    metrics.poolRows.set({ pool: trafficPool }, traffic);
    metrics.poolRows.set({ pool: 'sent' }, sent);
    if (settings.learnFromTraffic > 0 || settings.adaptEvery > 0) await this.survey(generation);
    const active = (await generation.adaptations.list()).find(({ isActive }) => isActive);
    metrics.lastAdaptation.set((active?.at ?? 0) / 1000);
    const survey = await store.pools.survey(generation.version, trafficPool);
    metrics.poolDrift.remove();
    if (!survey) {
      for (const kind of ['seen', 'unseen', 'none']) metrics.poolMass.set({ kind }, 0);
      return;
    }
    const { mass, drift } = survey.report as AdaptationReport;
    for (const [kind, share] of Object.entries(mass)) metrics.poolMass.set({ kind }, share);
    if (drift) metrics.poolDrift.set(drift.ratio);
  }

  private async survey({ version, adaptations }: Generation): Promise<void> {
    const { settings, store, logger, surveyHours = 1 } = this.context;
    const { leases } = store;
    const isDue = async (name: string, hours: number): Promise<boolean> =>
      hours > 0 && leases.acquire(name, this.id, { holdMilliseconds, everyMilliseconds: hours * hour });
    if (store.writing().kind === 'down') return;
    const [surveying, adapting] = [`survey ${version}`, `adapt ${version}`];
    const shallAdapt = await isDue(adapting, settings.adaptEvery);
    const shallSurvey = await isDue(surveying, surveyHours);
    if (!shallAdapt && !shallSurvey) return;
    let isDone = false;
    try {
      const { signal } = this.closing;
      const { report, outcome } = shallAdapt
        ? await adaptations.adaptIfRecommended(trafficPool, 'adapt-every', signal)
        : { report: await adaptations.preview(trafficPool, signal), outcome: null };
      isDone = true;
      await store.pools.saveSurvey(version, trafficPool, { at: Date.now(), report });
      const { pictures, mass, movedClasses, isRecommended, warnings } = report;
      const facts = { pictures, mass, movedClasses, isRecommended, warnings };
      if (outcome?.isNew)
        logger.info(
          { audit: true, who: 'adapt-every', what: 'adapt', ...facts, ...auditedOf(outcome) },
          'Classes were adapted to unlabelled pictures.',
        );
      else if (shallAdapt)
        logger.info(
          facts,
          'Classes were not adapted: nothing new is recommended by the classified pictures.',
        );
      else logger.debug(facts, 'The sample of classified pictures was surveyed.');
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'too-few-pictures') throw error;
    } finally {
      // Too few pictures, or a failure: soon again.
      if (shallAdapt) await leases.release(adapting, this.id, isDone);
      if (shallSurvey) await leases.release(surveying, this.id, isDone);
    }
  }
}

function auditedOf({ adaptation: { id, revision }, isNew }: AdaptationOutcome) {
  return { ...auditedRevisions(isNew, revision), adaptation: id };
}
