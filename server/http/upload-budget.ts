/**
 * Memory for the bodies of requests. Bytes are charged when they arrive, not when they are announced, so that clients who announce
 * much and send nothing keep nobody out; what a request has sent stays charged until it is answered. One caller may hold a share of
 * it.
 */
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Metrics } from '../observability/metrics.js';

type UploadSettings = Pick<ServerConfiguration, 'uploadMegabytes' | 'callerShare'>;

/** What one request has sent. */
export interface Upload {
  /** Throws Failure 'overloaded' when there is no room for so many bytes more. */
  charge(bytes: number): void;
}

interface Usage {
  bytes: number;
  requests: number;
}

export class UploadBudget {
  private used = 0;
  private readonly callers = new Map<string, Usage>();
  private readonly maxBytes: number;
  private readonly maxBytesOfCaller: number;

  constructor(
    { uploadMegabytes, callerShare }: UploadSettings,
    private readonly metrics: Pick<Metrics, 'uploadBytes' | 'refused'>,
  ) {
    this.maxBytes = uploadMegabytes * 1e6;
    this.maxBytesOfCaller = callerShare * this.maxBytes;
  }

  /** Runs `work`, which receives a body of this caller; its bytes are given back when it has ended, however it ends. */
  async hold<T>(caller: string, work: (upload: Upload) => Promise<T>): Promise<T> {
    const usage = this.callers.get(caller) ?? { bytes: 0, requests: 0 };
    this.callers.set(caller, usage);
    usage.requests += 1;
    let held = 0;
    const charge = (bytes: number): void => {
      // A body that is alone may be as large as bodies may be, even where that is more than a share.
      if (this.used > held && this.used + bytes > this.maxBytes) throw this.refusal('uploads-full');
      if (usage.bytes > held && usage.bytes + bytes > this.maxBytesOfCaller)
        throw this.refusal('upload-share');
      held += bytes;
      this.add(usage, bytes);
    };
    try {
      return await work({ charge });
    } finally {
      this.add(usage, -held);
      usage.requests -= 1;
      if (usage.requests === 0) this.callers.delete(caller);
    }
  }

  private refusal(reason: 'uploads-full' | 'upload-share'): Failure {
    this.metrics.refused.inc({ reason });
    const message =
      reason === 'uploads-full'
        ? 'Too many uploads are under way. Try again later.'
        : 'Too many uploads of this caller are under way. Wait for their answers, then send more.';
    return new Failure('overloaded', message, { retryAfterSeconds: 1 });
  }

  private add(usage: Usage, bytes: number): void {
    usage.bytes += bytes;
    this.used += bytes;
    this.metrics.uploadBytes.set(this.used);
  }
}
