/** How well groups agree with the classes that their pictures are really of. */

import { mean } from '../../core/mean.js';

interface GroupQuality {
  /** Groups of which most pictures are of one of the missing classes. */
  readonly newGroups: number;
  /** Share of the largest class, mean over those groups. */
  readonly purity: number;
  /** Share of a missing class that lies in the group that has most of it, mean over all missing classes. */
  readonly completeness: number;
  /** F1 of the group that fits best, mean over all missing classes. */
  readonly mean: number;
  /** Missing classes with an F1 of a half and more. */
  readonly found: number;
  /** The missing class that most pictures of the first group are of; null when it is a known one. */
  readonly named: string | null;
}

export function qualityOf(
  groups: readonly { readonly members: readonly number[] }[],
  names: readonly string[],
  missing: readonly string[],
): GroupQuality {
  const counted = groups.map(({ members }) => {
    const counts = new Map<string, number>();
    for (const i of members) counts.set(names[i], (counts.get(names[i]) ?? 0) + 1);
    const [name, most] = [...counts].sort(([, a], [, b]) => b - a)[0];
    return { counts, size: members.length, name, purity: most / members.length };
  });
  const isMissing = new Set(missing);
  const fresh = counted.filter(({ name }) => isMissing.has(name));
  const scores = [...isMissing].map((name) => {
    const total = names.filter((one) => one === name).length;
    const inGroup = fresh.map(({ counts }) => counts.get(name) ?? 0);
    const f1 = counted.map(({ counts, size }) => (2 * (counts.get(name) ?? 0)) / (size + total));
    return { recall: Math.max(0, ...inGroup) / total, f1: Math.max(0, ...f1) };
  });
  const meanOrZero = (list: readonly number[]): number => (list.length === 0 ? 0 : mean(list));
  return {
    newGroups: fresh.length,
    purity: meanOrZero(fresh.map(({ purity }) => purity)),
    completeness: meanOrZero(scores.map(({ recall }) => recall)),
    mean: meanOrZero(scores.map(({ f1 }) => f1)),
    found: scores.filter(({ f1 }) => f1 >= 0.5).length,
    named: fresh.length > 0 ? fresh[0].name : null,
  };
}
