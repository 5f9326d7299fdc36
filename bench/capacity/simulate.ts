/**
 * Poisson arrivals at replicas behind a load balancer, simulated event by event. Tests compare it with exact results:
 * M/M/1, M/D/1, M/M/1/K and M/M/c.
 */
import { mean } from '../../core/mean.js';
import type { Random } from '../../core/random.js';
import { quantile } from '../quantiles.js';
import { EventQueue } from './event-queue.js';
import { Replica, type ReplicaEvent, type ReplicaModel, type Schedule } from './replica.js';

interface SimulationPlan {
  readonly replicas: number;
  readonly perSecond: number;
  readonly requests: number;
  /** How the balancer chooses: at random (a Kubernetes Service), or the replica with the fewest requests in flight (nginx least_conn). */
  readonly balance: 'chance' | 'least';
}

interface Simulated {
  readonly answered: number;
  readonly refusedShare: number;
  readonly meanSeconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Share of the time in which workers run. */
  readonly utilisation: number;
  readonly picturesPerBatch: number;
}

/** Warm-up: the first requests find empty replicas and would bias the result. */
const warmShare = 0.1;

export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random.uniform());
}

export function simulate(model: ReplicaModel, plan: SimulationPlan, random: Random): Simulated {
  const replicas = Array.from({ length: plan.replicas }, () => new Replica(model));
  const events = new EventQueue<{ readonly replica: number; readonly event: ReplicaEvent } | 'arrival'>();
  const warm = warmShare * plan.requests;
  const seconds: number[] = [];
  let [now, sent, refused, warmUntil] = [0, 0, 0, 0];
  const scheduleFor =
    (replica: number): Schedule =>
    (after, event) => {
      events.add(now + after, { replica, event });
    };
  events.add(0, 'arrival');
  for (let entry = events.next(); entry !== undefined; entry = events.next()) {
    now = entry.time;
    if (entry.event !== 'arrival') {
      const { replica, event } = entry.event;
      for (const arrived of replicas[replica].happen(event, scheduleFor(replica)))
        if (arrived >= warmUntil) seconds.push(now - arrived);
      continue;
    }
    sent += 1;
    if (sent <= warm) warmUntil = now;
    const chosen = plan.balance === 'chance' ? random.integer(plan.replicas) : least(replicas, random);
    if (!replicas[chosen].arrive(now, scheduleFor(chosen)) && sent > warm) refused += 1;
    if (sent < plan.requests) events.add(now + exponential(random, 1 / plan.perSecond), 'arrival');
  }
  const sum = (of: (replica: Replica) => number): number =>
    replicas.reduce((total, one) => total + of(one), 0);
  return {
    answered: seconds.length,
    refusedShare: refused / (plan.requests - warm),
    meanSeconds: mean(seconds),
    p50: quantile(seconds, 0.5),
    p99: quantile(seconds, 0.99),
    utilisation: sum(({ busySeconds }) => busySeconds) / (now * plan.replicas),
    picturesPerBatch: (plan.requests - refused) / sum(({ batches }) => batches),
  };
}

/** Ties are broken at random: otherwise the first replicas would get more. */
function least(replicas: readonly Replica[], random: Random): number {
  const start = random.integer(replicas.length);
  let chosen = start;
  for (let i = 1; i < replicas.length; i++) {
    const at = (start + i) % replicas.length;
    if (replicas[at].admitted < replicas[chosen].admitted) chosen = at;
  }
  return chosen;
}
