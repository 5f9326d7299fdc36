import { Failure } from '../../core/failures.js';

/** Of replicas that race for the same revision all but one start over; losing so many times in a row is a fault. */
const maxAttempts = 50;

/** What `attempt` answers; null from it means that another replica has committed first. */
export async function untilCommitted<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let count = 0; count < maxAttempts; count++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Failure('registry-unavailable', 'Other replicas change the registry all the time. Try again.', {
    retryAfterSeconds: 1,
  });
}
