/** Clients that post pictures and note what came back, over keep-alive connections. */
import { Agent, request } from 'node:http';
import { preparedRequest, PreparedSender } from './prepared-requests.js';

export interface Outcome {
  /** HTTP status, or 0 when the connection failed. */
  readonly status: number;
  readonly milliseconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 4096 });

export function post(url: string, picture: Uint8Array, type = 'image/jpeg'): Promise<Outcome> {
  const started = performance.now();
  return new Promise((resolve) => {
    const finish = (status: number): void => {
      resolve({ status, milliseconds: performance.now() - started });
    };
    const sent = request(`${url}/classify`, {
      method: 'POST',
      agent,
      headers: { 'content-type': type, 'content-length': picture.length },
    });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        finish(response.statusCode ?? 0);
      });
      response.on('error', () => {
        finish(0);
      });
    });
    sent.on('error', () => {
      finish(0);
    });
    sent.end(picture);
  });
}

/** A closed loop: each client sends its next picture when it has the response to the last, and pauses after a rejection. */
export async function closedLoop(
  url: string,
  pictures: readonly Uint8Array[],
  { clients, until }: { clients: number; until: (sent: number) => boolean },
): Promise<{ outcomes: Outcome[]; seconds: number }> {
  const outcomes: Outcome[] = [];
  const started = performance.now();
  let sent = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (!until(sent)) {
        const outcome = await post(url, pictures[sent++ % pictures.length]);
        outcomes.push(outcome);
        if (outcome.status !== 200) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }),
  );
  return { outcomes, seconds: (performance.now() - started) / 1000 };
}

/** An open loop: a constant rate, whether or not responses come back. */
export async function openLoop(
  url: string,
  pictures: readonly Uint8Array[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<{ outcomes: Outcome[]; seconds: number }> {
  const pending: Promise<Outcome>[] = [];
  const sender = new PreparedSender(url);
  const requests = pictures.map((picture) => preparedRequest(url, picture));
  const started = performance.now();
  while (performance.now() - started < seconds * 1000) {
    const due = ((performance.now() - started) / 1000) * perSecond;
    while (pending.length < due) pending.push(sender.send(requests[pending.length % requests.length]));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const outcomes = await Promise.all(pending);
  const took = (performance.now() - started) / 1000;
  sender.close();
  return { outcomes, seconds: took };
}

export function answered(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ status }) => status === 200).length;
}

export function countByStatus(outcomes: readonly Outcome[]): string {
  const counts = new Map<number, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  const shown = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status || 'no answer'}`);
  return shown.join(', ');
}
