/** What an answer says of itself: core/head/novelty/scale.ts says what novelty means. */
export const verdicts = ['known', 'unsure', 'unknown'] as const;
export type Verdict = (typeof verdicts)[number];

/** 5 % of the pictures of known classes are called unknown. */
export const usualUnknownAt = 0.95;

/** Below it an answer is more likely wrong than right. */
const surely = 0.5;

export function verdictOf(novelty: number, probability: number, unknownAt: number): Verdict {
  if (novelty >= unknownAt) return 'unknown';
  return probability >= surely ? 'known' : 'unsure';
}
