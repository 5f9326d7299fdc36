import type { TestAccuracy } from './metrics.js';

export const noUnseenRows = 'no test rows of unseen classes';
export const noSeenRows = 'no test rows of seen classes';

/** Why some figures are null, in words; null when every figure is there. */
export function missingRows({ unseenAccuracy, seenAccuracy }: TestAccuracy): string | null {
  const missing = [
    ...(unseenAccuracy === null ? [noUnseenRows] : []),
    ...(seenAccuracy === null ? [noSeenRows] : []),
  ];
  return missing.length > 0 ? missing.join(', ') : null;
}
