/** What looking for missing classes is given, and what it returns. */
import { usualUnknownAt } from '../head/verdict.js';

/** A group of pictures that may be a class that nobody has named. */
export interface DiscoveredGroup {
  /** Row numbers, the most typical first. */
  readonly members: readonly number[];
  /** How much better the pictures are explained by a class of their own, in nats. */
  readonly gain: number;
  /** Variance of its pictures around their mean, as a multiple of that of a class; 1 is usual, more is mixed. */
  readonly looseness: number;
  /** Mean over its pictures; core/head/novelty/scale.ts says what novelty means. */
  readonly novelty: number;
  /** Read from its pictures, in the bundle's order. */
  readonly attributes: readonly DraftAttribute[];
  /** The known classes that the pictures are taken for, likeliest first: mean probabilities. */
  readonly nearest: readonly { readonly name: string; readonly probability: number }[];
  /** What keeps it from being one class, in whole sentences; empty where nothing does. */
  readonly doubts: readonly string[];
}

export interface DraftAttribute {
  readonly name: string;
  readonly value: number;
  /** From 0 (no better than the mean of all classes) to 1 (certain). */
  readonly certainty: number;
}

export interface Discovery {
  readonly pictures: number;
  /** Most confident first. */
  readonly groups: readonly DiscoveredGroup[];
  /** Row numbers of pictures that look like none of the known classes by themselves, but belong to no group; the newest first. */
  readonly ungrouped: readonly number[];
}

/** What to do about them, as a sentence; empty where there are none. */
export function ungroupedAdvice(ungrouped: number, pictures: number): string {
  if (ungrouped === 0) return '';
  const usual = Math.ceil((1 - usualUnknownAt) * pictures);
  const share = Math.round(100 * (1 - usualUnknownAt));
  if (ungrouped <= usual)
    return `${ungrouped} of the pictures look like no known class one by one, no more than the ${share} % that pictures of known classes do.`;
  return `${ungrouped} of the pictures look like no known class one by one, but too few of them are alike to make a group: with five of a missing class there is a chance, with twenty it is found more surely.`;
}
