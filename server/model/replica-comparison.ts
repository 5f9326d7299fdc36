/**
 * Whether this replica makes the features that the others make. Each decides for its own processor which precision of a network it runs,
 * and processors may compute one file differently; callers of a load balancer would get an answer now from one, now from another. So
 * every replica reports what it runs, and what that gives for the built-in pictures, through the class registry, and compares itself with
 * the one that has served the same model longest.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { builtInPictures } from '../../core/backbone/quantisation/check/built-in-pictures.js';
import {
  compareFingerprints,
  fingerprintToBytes,
  minFingerprintCosine,
} from '../../core/backbone/quantisation/check/fingerprint.js';
import type { ReplicaReport, Replicas } from '../classes/store/replicas.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { CurrentModel } from './current-model.js';
import type { Generation } from './generation.js';

interface ComparisonContext {
  readonly models: CurrentModel;
  readonly replicas: Replicas;
  readonly metrics: Pick<Metrics, 'networkDiffers'>;
  readonly logger: Logger;
  /** Between reports: others take a replica that is silent for a minute for gone. */
  readonly seconds?: number;
}

const fingerprintSeconds = 60;

export class ReplicaComparison {
  private readonly id = randomUUID();
  private readonly closing = new AbortController();
  private report: ReplicaReport | null = null;
  /** What the report was made of: another model or another provider needs a new one. */
  private reported: { readonly generation: Generation; readonly provider: string } | null = null;
  private problem: string | null = null;
  private hasFailed = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly context: ComparisonContext) {}

  /** In what this replica differs, as a reason why it is degraded; empty when it does not, or is alone. */
  problems(): readonly string[] {
    const isCurrent = this.reported?.generation === this.context.models.current; // else it is about the previous model
    return this.problem !== null && isCurrent ? [this.problem] : [];
  }

  /** Now, and then from time to time. */
  start(): void {
    this.running = this.compare().finally(() => {
      if (this.closing.signal.aborted) return;
      const { seconds = 15 } = this.context;
      this.timer = setTimeout(() => {
        this.start();
      }, seconds * 1000);
      this.timer.unref();
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.timer);
    await this.running;
    if (this.report) await this.context.replicas.leave(this.id);
  }

  private async compare(): Promise<void> {
    const { models, replicas, logger } = this.context;
    try {
      await models.current.use(() => this.describe(models.current));
      if (this.closing.signal.aborted || !this.report) return;
      const oldest = await replicas.report(this.report);
      if (oldest) this.judge(this.report, oldest);
    } catch (error) {
      if (this.closing.signal.aborted) return;
      if (!this.hasFailed)
        logger.warn({ err: error }, 'This replica could not be compared with others; trying again.');
      this.hasFailed = true;
    }
  }

  private async describe(generation: Generation): Promise<void> {
    const { provider } = generation.inference.state;
    if (this.reported?.generation === generation && this.reported.provider === provider) return;
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(fingerprintSeconds * 1000)]);
    const rows = await generation.inference.fingerprint(signal);
    const { name, precision, sha256 } = generation.backbone;
    this.report = {
      id: this.id,
      host: hostname(),
      bundle: generation.version,
      network: `${name} (${precision})`,
      networkHash: sha256 ?? '',
      fingerprint: fingerprintToBytes(rows),
    };
    this.reported = { generation, provider };
  }

  private judge(own: ReplicaReport, oldest: ReplicaReport): void {
    const { models, metrics, logger } = this.context;
    if (this.reported?.generation !== models.current) return; // another model serves by now
    const cosine = compareFingerprints(own.fingerprint, oldest.fingerprint, builtInPictures().length);
    const before = this.problem;
    this.problem = differenceOf(own, oldest, cosine);
    metrics.networkDiffers.reset();
    metrics.networkDiffers.set({ version: own.bundle.slice(0, 12) }, this.problem === null ? 0 : 1);
    if (this.problem === before) return;
    if (this.problem === null) logger.info('This replica makes the same features as the others again.');
    else logger.warn({ replica: oldest.host, cosine }, `Replicas answer differently: ${this.problem}.`);
  }
}

function differenceOf(own: ReplicaReport, other: ReplicaReport, cosine: number): string | null {
  if (own.networkHash !== other.networkHash) {
    const networks =
      own.network === other.network
        ? `another file of ${own.network} than`
        : `${own.network} for its features, not ${other.network} as`;
    return `this replica uses ${networks} another replica of the same model (cosine ${cosine.toFixed(4)})`;
  }
  if (cosine >= minFingerprintCosine) return null;
  return `this replica computes other features than another replica does with the same network (cosine ${cosine.toFixed(4)}, at least ${minFingerprintCosine} is expected)`;
}
