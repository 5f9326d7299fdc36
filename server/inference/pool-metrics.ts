/** Metrics, traces and log lines about the workers. */
import type { Provider } from '../../core/compute/session.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { StageTime } from '../observability/tracing.js';
import type { PoolEvents } from './pool.js';

export function poolEvents(metrics: Metrics, logger: Logger, requested: Provider): PoolEvents {
  return {
    batch: (jobs, { inferSeconds, headSeconds }) => {
      metrics.batchPictures.observe(jobs.length);
      const now = performance.now();
      const ran = 1000 * (inferSeconds + headSeconds);
      for (const { enqueuedAt, onStage } of jobs) {
        const times: StageTime[] = [
          { stage: 'queue', startedAt: enqueuedAt, seconds: Math.max(0, now - enqueuedAt - ran) / 1000 },
          { stage: 'infer', startedAt: now - ran, seconds: inferSeconds, pictures: jobs.length },
          { stage: 'head', startedAt: now - 1000 * headSeconds, seconds: headSeconds, pictures: jobs.length },
        ];
        for (const time of times) {
          metrics.stageSeconds.observe({ stage: time.stage }, time.seconds);
          onStage?.(time);
        }
      }
    },
    restarted: (reason) => {
      metrics.workerRestarts.inc();
      logger.error({ err: reason }, 'An inference worker was lost and is being replaced.');
    },
    onFallback: (reason) => {
      logger.warn({ provider: requested, reason }, 'The provider is missing; running on the CPU instead.');
    },
  };
}
