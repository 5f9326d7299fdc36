import type { Bundle } from '../bundle/bundle.js';
import type { RuntimeClass } from '../fitting/runtime-class.js';
import type { Adaptation } from './adaptation.js';

/**
 * The runtime classes after an adaptation: those there were, with what was assigned to them, and each of the bundle's own classes that moves, as a
 * runtime class of the same name. What an earlier adaptation assigned is replaced. Classes whose evidence changes come without their head row.
 */
export function movedClasses(
  { manifest }: Pick<Bundle, 'manifest'>,
  classes: readonly RuntimeClass[],
  adaptation: Adaptation,
): RuntimeClass[] {
  const assigned = new Map(adaptation.classes.map((one) => [one.name, one.assigned]));
  const present = new Set(classes.map(({ name }) => name));
  const before = classes.map((one): RuntimeClass => {
    const now = assigned.get(one.name) ?? null;
    if (!now && !one.assigned) return one;
    const { name, attributes, examples } = one;
    return { name, attributes, ...(examples && { examples }), ...(now && { assigned: now }) };
  });
  const own = manifest.classes.flatMap(({ name, attributes }): RuntimeClass[] => {
    const now = assigned.get(name);
    return now && !present.has(name) ? [{ name, attributes, assigned: now }] : [];
  });
  return [...before, ...own];
}
