/** Malformed requests without end, the same ones for the same seed. */
import type { Random } from '../../../core/random.js';
import { abortedKinds, slowKinds } from './connections.js';
import { formKinds } from './forms.js';
import { jsonKinds } from './json.js';
import { pictureKinds, pictureSeeds } from './pictures.js';
import { protocolKinds } from './protocol.js';
import { pick, type MalformedRequest } from './request.js';

/** One in so many is slow: it does nothing but hold a connection. */
const slowEvery = 100;

export async function malformedRequests(random: Random): Promise<() => MalformedRequest> {
  const seeds = await pictureSeeds();
  const slow = slowKinds(seeds);
  const quick = [pictureKinds, formKinds, jsonKinds, protocolKinds, abortedKinds].flatMap((kinds) =>
    kinds(seeds),
  );
  return () => pick(random, random.integer(slowEvery) === 0 ? slow : quick)(random);
}
