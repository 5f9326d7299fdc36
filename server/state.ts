/** Alive or not, ready or not, and why: what /healthz and /readyz answer. */
import type { CurrentModel } from './model/current-model.js';
import type { ReplicaComparison } from './model/replica-comparison.js';
import type { ServerState } from './routes/dependencies.js';

/** A server whose workers do not come back, or whose queue is stuck, for so long is better restarted. */
const deadAfterSeconds = 60;
/** An answer so recent proves that the whole path works; otherwise a picture is put through it. */
export const provenSeconds = 10;

export class Lifecycle implements ServerState {
  draining = false;
  private unhealthySince: number | null = null;

  constructor(
    private readonly models: CurrentModel,
    private readonly comparison: Pick<ReplicaComparison, 'problems'>,
  ) {}

  alive(): readonly string[] {
    const { workersReady, received, sinceLastAnswer } = this.models.current.inference.state;
    // Not by places taken: slow uploads hold some without anything being stuck.
    const stuck = received > 0 && sinceLastAnswer !== null && sinceLastAnswer > deadAfterSeconds;
    if (workersReady > 0 && !stuck) {
      this.unhealthySince = null;
      return [];
    }
    this.unhealthySince ??= performance.now();
    const lasting = (performance.now() - this.unhealthySince) / 1000 > deadAfterSeconds;
    if (!lasting) return [];
    return [workersReady === 0 ? 'no inference worker could be started' : 'the queue is stuck'];
  }

  async ready(): Promise<readonly string[]> {
    if (this.draining) return ['the server is about to stop'];
    // One generation throughout: a reload in between must not fail a probe of the model that it replaces.
    const { current } = this.models;
    return current.use(async () => {
      if (current.inference.state.workersReady === 0) return ['no inference worker is ready'];
      if (!(await current.inference.answers(provenSeconds)))
        return ['a picture put through the queue got no answer'];
      return [];
    });
  }

  /**
   * The registry out of reach is no reason to send pictures elsewhere: every replica would drop out at once, while each
   * could keep serving the classes that it has. Nor is a network that differs from that of others: it answers well, only not alike.
   */
  degraded(): readonly string[] {
    return [...this.models.current.classes.problems(), ...this.comparison.problems()];
  }
}
