/** Many concurrent malformed requests, and valid ones in between, which must be answered normally. */
import type { Random } from '../../core/random.js';
import { countByStatus, post, type Outcome } from './load.js';
import { malformedRequests } from './malformed/index.js';
import { sendRaw, type RawOutcome } from './raw-client.js';

interface Attack {
  readonly requests: number;
  readonly concurrency: number;
  readonly random: Random;
  /** Valid pictures, one of which is posted at intervals between malformed requests. */
  readonly goodEvery: number;
  readonly good: readonly Uint8Array[];
  /** Milliseconds after which a request without any answer counts as hung. */
  readonly patience: number;
}

interface Offence {
  readonly number: number;
  readonly kind: string;
  readonly outcome: string;
  readonly milliseconds: number;
}

interface AttackReport {
  /** How often each outcome came, by kind of request. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Answered 5xx, or neither answered nor closed; the number finds the request again with the same seed. */
  readonly offences: readonly Offence[];
  readonly good: readonly Outcome[];
}

export async function attack(url: string, options: Attack): Promise<AttackReport> {
  const { requests, concurrency, goodEvery, patience } = options;
  const next = await malformedRequests(options.random);
  const outcomes = new Map<string, Map<string, number>>();
  const good: Outcome[] = [];
  const offences: Offence[] = [];
  let sent = 0;
  const attempt = async (number: number): Promise<void> => {
    const request = next();
    const { kind } = request;
    const started = performance.now();
    const outcome = await sendRaw(url, request, patience);
    const shown = typeof outcome === 'string' ? outcome : outcome.join(' then ');
    const counts = outcomes.get(kind) ?? new Map<string, number>();
    outcomes.set(kind, counts.set(shown, (counts.get(shown) ?? 0) + 1));
    if (isOffence(outcome))
      offences.push({ number, kind, outcome: shown, milliseconds: performance.now() - started });
  };
  const client = async (): Promise<void> => {
    while (sent < requests) {
      const number = ++sent;
      await attempt(number);
      if (number % goodEvery === 0)
        good.push(await post(url, options.good[good.length % options.good.length]));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { outcomes, offences, good };
}

function isOffence(outcome: RawOutcome): boolean {
  return typeof outcome === 'string' ? outcome === 'hung' : outcome.some((status) => status >= 500);
}

export function showOutcomes({ outcomes, good }: AttackReport): string {
  const width = Math.max(...[...outcomes.keys()].map((kind) => kind.length));
  const lines = [...outcomes].sort().map(([kind, counts]) => {
    const shown = [...counts].sort().map(([outcome, count]) => `${count} × ${outcome}`);
    return `  ${kind.padEnd(width)}  ${shown.join(', ')}`;
  });
  return [...lines, `  ${'GOOD'.padEnd(width)}  ${countByStatus(good)}`].join('\n');
}
