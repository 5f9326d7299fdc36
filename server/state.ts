/** Alive or not, ready or not, and why: what /healthz and /readyz answer. */
import type { Classes } from './classes/contract.js';
import type { InferenceService } from './inference/service.js';
import type { ServerState } from './routes/dependencies.js';

/** A server whose workers do not come back, or whose queue stands still, for so long is better started anew. */
const deadAfterSeconds = 60;
/** An answer so recent proves that the whole path works; otherwise a picture is put through it. */
const provenSeconds = 10;

export class Lifecycle implements ServerState {
  draining = false;
  private troubleSince: number | null = null;

  constructor(
    private readonly inference: InferenceService,
    private readonly classes: Classes,
  ) {}

  alive(): readonly string[] {
    const { workersReady, queued, sinceLastAnswer } = this.inference.state;
    const stuck = queued > 0 && sinceLastAnswer !== null && sinceLastAnswer > deadAfterSeconds;
    if (workersReady > 0 && !stuck) {
      this.troubleSince = null;
      return [];
    }
    this.troubleSince ??= performance.now();
    const lasting = (performance.now() - this.troubleSince) / 1000 > deadAfterSeconds;
    if (!lasting) return [];
    return [workersReady === 0 ? 'no inference worker comes up' : 'the queue stands still'];
  }

  async ready(): Promise<readonly string[]> {
    if (this.draining) return ['the server is about to stop'];
    if (this.inference.state.workersReady === 0) return ['no inference worker is ready'];
    if (!(await this.inference.answers(provenSeconds)))
      return ['a picture put through the queue got no answer'];
    return [];
  }

  /**
   * The registry out of reach is no reason to send pictures elsewhere: every replica would drop out at once, while each
   * could go on with the classes that it has.
   */
  degraded(): readonly string[] {
    const trouble = this.classes.trouble();
    return trouble === null ? [] : [trouble];
  }
}
