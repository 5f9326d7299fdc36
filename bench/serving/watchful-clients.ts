/** Clients that classify in a closed loop and keep what an answer says of the registry, to be checked afterwards. */
import { maxPredictions, type ClassifyResponse } from '../../server/contract/schemas.js';

interface WatchedAnswer {
  readonly client: number;
  readonly status: number;
  readonly milliseconds: number;
  /** The newest revision acknowledged to any client when the picture was sent. */
  readonly acknowledged: number;
  readonly revision: number;
  readonly runtimeClasses: readonly string[];
  readonly topK: number;
}

interface WatchfulClients {
  /** Returns the answers since the last call. */
  drain(): WatchedAnswer[];
  stop(): Promise<void>;
}

/** Every auditEvery-th request asks for all classes, so that a missing one is noticed; the others use the default topK. */
const auditEvery = 20;

export function watchfulClients(
  url: string,
  pictures: readonly Uint8Array[],
  { clients, added }: { clients: number; added: ReadonlyMap<string, number> },
): WatchfulClients {
  let answers: WatchedAnswer[] = [];
  let [running, sent] = [true, 0];
  const loop = async (client: number): Promise<void> => {
    while (running) {
      sent += 1;
      const topK = sent % auditEvery === 0 ? maxPredictions : 5;
      const acknowledged = Math.max(0, ...added.values());
      const started = performance.now();
      const answer = await classify(`${url}/classify?topK=${topK}`, pictures[sent % pictures.length]);
      answers.push({ client, milliseconds: performance.now() - started, acknowledged, topK, ...answer });
    }
  };
  const loops = Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  return {
    drain() {
      const drained = answers;
      answers = [];
      return drained;
    },
    async stop() {
      running = false;
      await loops;
    },
  };
}

async function classify(url: string, picture: Uint8Array) {
  const nothing = { revision: 0, runtimeClasses: [] };
  try {
    const headers = { 'content-type': 'image/jpeg' };
    const response = await fetch(url, { method: 'POST', headers, body: picture as Uint8Array<ArrayBuffer> });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, ...nothing };
    const { predictions, registryRevision } = JSON.parse(text) as ClassifyResponse;
    const runtimeClasses = predictions.filter(({ runtime }) => runtime).map((prediction) => prediction.class);
    return { status: 200, revision: registryRevision, runtimeClasses };
  } catch {
    return { status: 0, ...nothing };
  }
}

/** What contradicts "each answer is of one revision, the newest acknowledged or a newer one", as messages. */
export function inconsistencies(
  answers: readonly WatchedAnswer[],
  added: ReadonlyMap<string, number>,
  ownClasses: number,
): string[] {
  const found: string[] = [];
  const lastOf = new Map<number, number>();
  for (const { client, status, revision, acknowledged, runtimeClasses, topK } of answers) {
    if (status !== 200) continue;
    const last = lastOf.get(client) ?? 0;
    lastOf.set(client, revision);
    if (revision < last) found.push(`client ${client} went back from revision ${last} to ${revision}`);
    if (revision < acknowledged) found.push(`revision ${revision} after ${acknowledged} was acknowledged`);
    const early = runtimeClasses.find((name) => (added.get(name) ?? Infinity) > revision);
    if (early !== undefined)
      found.push(`"${early}" in an answer of revision ${revision}, before it was added`);
    const expected = [...added.values()].filter((since) => since <= revision).length;
    if (ownClasses + expected <= topK && runtimeClasses.length !== expected)
      found.push(`${runtimeClasses.length} runtime classes at revision ${revision}, which has ${expected}`);
  }
  return found;
}
