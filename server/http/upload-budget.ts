/**
 * Memory for bodies on their way in. Room is set aside by what a request declares before a byte of it is read, so that
 * many slow uploads cannot hold more than was set, and the queue of pictures stays free for those that are there.
 */
import { Failure } from '../../core/failures.js';
import type { Metrics } from '../observability/metrics.js';

export class UploadBudget {
  private used = 0;

  constructor(
    private readonly most: number,
    private readonly metrics: Pick<Metrics, 'uploadBytes' | 'refused'>,
  ) {}

  /** Gives the room back when called again; at once, or Failure 'overloaded'. */
  reserve(bytes: number): () => void {
    if (this.used > 0 && this.used + bytes > this.most) {
      this.metrics.refused.inc({ reason: 'uploads-full' });
      throw new Failure('overloaded', 'Too many uploads are under way. Try again later.', {
        retryAfterSeconds: 1,
      });
    }
    this.add(bytes);
    let held = true;
    return () => {
      if (held) this.add(-bytes);
      held = false;
    };
  }

  private add(bytes: number): void {
    this.used += bytes;
    this.metrics.uploadBytes.set(this.used);
  }
}
