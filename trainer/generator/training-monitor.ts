/**
 * Everything around the epoch loop of train.ts that is not the algorithm: mean losses of an epoch for the log, the
 * progress bar, checkpoints, and a failure when the loss diverges.
 */
import { Failure } from '../../core/failures.js';
import type { Progress, Watcher } from '../../core/progress.js';
import type { GeneratorSettings } from '../configuration.js';
import type { Checkpoint, CheckpointStore, EpochReport } from './checkpoint.js';
import type { TrainedNetworks } from './networks.js';

export interface TrainingHooks {
  readonly watcher: Watcher;
  readonly label: string;
  readonly onEpoch?: (report: EpochReport) => void;
  /** Sees the networks as they are after each epoch of this run. */
  readonly afterEpoch?: (networks: TrainedNetworks) => Promise<void>;
  readonly checkpoints?: CheckpointStore;
  /** Writing the weights takes time, so short epochs are not all followed by a checkpoint. */
  readonly secondsBetweenCheckpoints?: number;
}

/** What the monitor reads from the run at the end of an epoch. */
interface ObservedRun {
  readonly stepsPerEpoch: number;
  networks(): TrainedNetworks;
  state(): Pick<Checkpoint, 'training' | 'batches'>;
}

export class TrainingMonitor {
  private readonly reports: EpochReport[];
  private readonly progress: Progress;
  private means: Record<string, number> = {};
  private step: number;
  private lastSaved = performance.now();

  /** After a resume, the epochs of the checkpoint are reported again: the log is then that of the whole run. */
  constructor(
    private readonly settings: GeneratorSettings,
    private readonly hooks: TrainingHooks,
    private readonly run: ObservedRun,
    saved?: Checkpoint,
  ) {
    this.reports = [...(saved?.reports ?? [])];
    for (const report of this.reports) hooks.onEpoch?.(report);
    this.step = (saved?.epoch ?? 0) * run.stepsPerEpoch;
    this.progress = hooks.watcher.progress(hooks.label, settings.epochs * run.stepsPerEpoch);
  }

  afterSteps(reports: readonly Readonly<Record<string, number>>[]): void {
    for (const report of reports) {
      this.step += 1;
      failOnDivergence(report, this.step, this.settings);
      for (const [name, value] of Object.entries(report)) {
        this.means[name] = (this.means[name] ?? 0) + value / this.run.stepsPerEpoch;
      }
    }
    this.progress.update(this.step, `loss ${reports.at(-1)!.loss.toFixed(3)}`);
  }

  /** `epoch` counts from 1. */
  async afterEpoch(epoch: number): Promise<void> {
    const report = { epoch, ...this.means };
    this.means = {};
    this.reports.push(report);
    this.hooks.onEpoch?.(report);
    await this.hooks.afterEpoch?.(this.run.networks());
    if (this.hooks.checkpoints && this.isCheckpointDue(epoch)) {
      await this.hooks.checkpoints.save({ epoch, ...this.run.state(), reports: this.reports });
      this.lastSaved = performance.now();
    }
  }

  close(): void {
    this.progress.stop();
  }

  /** The last epoch always is: an interruption in a later member of the ensemble must not train this one again. */
  private isCheckpointDue(epoch: number): boolean {
    const { secondsBetweenCheckpoints = 15 } = this.hooks;
    return (
      epoch === this.settings.epochs || performance.now() - this.lastSaved > 1000 * secondsBetweenCheckpoints
    );
  }
}

function failOnDivergence(
  report: Readonly<Record<string, number>>,
  step: number,
  { learningRate, transport }: GeneratorSettings,
): void {
  if (Number.isFinite(report.loss)) return;
  const slower = `Lower generator.learningRate (now ${learningRate}).`;
  const name = transport.solver === 'ipot' ? 'lambda' : 'epsilon';
  const smoother = `Raise generator.transport.${name} (now ${transport[name]}).`;
  const advice = { weights: slower, plan: smoother, unknown: `${smoother} If that does not help: ${slower}` };
  throw new Failure(
    'training-failed',
    `The loss stopped being a number at step ${step}. ${advice[causeOf(report)]}`,
  );
}

/**
 * The marginal error is finite exactly when the plan is. A plan is not finite when its solver fails, but also when generated
 * rows are not: the other terms on generated rows, where there are any, tell the two apart.
 */
function causeOf(report: Readonly<Record<string, number>>): 'weights' | 'plan' | 'unknown' {
  if (Number.isFinite(report.marginalError)) return 'weights';
  const others = ['discrimination', 'regulariser'].filter((name) => name in report);
  if (others.length === 0) return 'unknown';
  return others.every((name) => Number.isFinite(report[name])) ? 'plan' : 'weights';
}
