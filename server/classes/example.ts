/** A picture as an example of a class: which network makes its features, and what it is called. */
import type { BackboneIdentity } from '../../core/backbone/identity.js';
import { toHalf } from '../../core/half.js';
import { bytesOf, sha256Of } from '../../core/hash.js';
import type { PoolPicture } from '../adaptation/contract.js';
import type { NewExample } from './contract.js';

/**
 * Names the network whose features a bundle takes. The one that it was trained with, where that is known: a replica that serves it in
 * another precision has features that differ a little, and must not refuse the examples of the others.
 */
export function exampleBackbone(trained: BackboneIdentity | null, served?: BackboneIdentity): string {
  const identity = trained?.sha256 ? trained : (served ?? trained);
  if (!identity) return 'unknown';
  const { name, sha256, preprocessing } = identity;
  return sha256Of(JSON.stringify([sha256 ?? name, preprocessing]));
}

/** The same picture of the same class has the same id: adding it twice adds it once. */
export function newExample(
  name: string,
  backbone: string,
  picture: Uint8Array,
  features: Float32Array,
): NewExample {
  const id = sha256Of(JSON.stringify([name, backbone]), picture).slice(0, 32);
  return { id, backbone, features: toHalf(features) };
}

/** A picture of a pool, of which only features are there. */
export function exampleOfPool(name: string, backbone: string, { id, features }: PoolPicture): NewExample {
  return { id: sha256Of(JSON.stringify([name, backbone, 'pool']), id).slice(0, 32), backbone, features };
}

/**
 * A picture that a class has already keeps the id that it has there: one that came from a pool, of which no picture was kept, is known by its
 * features only, and would else be added a second time when somebody uploads it.
 */
export function withStoredIds<Example extends NewExample>(
  examples: readonly Example[],
  stored: readonly NewExample[],
): Example[] {
  const ids = new Set(stored.map(({ id }) => id));
  const idOf = new Map(stored.map((one) => [digestOf(one), one.id]));
  return examples.map((one) => (ids.has(one.id) ? one : { ...one, id: idOf.get(digestOf(one)) ?? one.id }));
}

function digestOf({ backbone, features }: NewExample): string {
  return sha256Of(backbone, bytesOf(features));
}
