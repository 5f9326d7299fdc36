import type { Manifest } from '../bundle/manifest.js';
import { unseenBiasFor } from '../head/unseen-bias.js';
import { evidenceSettingsOf, unseenShare } from './evidence.js';
import type { RuntimeClass } from './runtime-class.js';

/** The part of the bias on unseen classes that a class gets: all of it without pictures, the less the more it has, labelled or assigned. */
export function unseenShareOf(
  manifest: Manifest,
  {
    name,
    attributes,
    examples,
    assigned,
  }: Pick<RuntimeClass, 'name' | 'attributes' | 'examples' | 'assigned'>,
): number {
  const isSeen = manifest.classes.some((own) => own.name === name && own.seen);
  const pictures = (examples?.rows ?? 0) + (assigned?.pictures ?? 0);
  const hasAttributes = !attributes.every(Number.isNaN);
  return isSeen ? 0 : unseenShare(evidenceSettingsOf(manifest), pictures, hasAttributes);
}

/** What serving adds to the score of each class, the runtime classes counted after the bundle's. */
export function servingBiases(
  manifest: Manifest,
  runtimeClasses: readonly Pick<RuntimeClass, 'name' | 'attributes' | 'examples' | 'assigned'>[],
): Float64Array {
  const { classes, head } = manifest;
  const replaced = new Set(runtimeClasses.map(({ name }) => name));
  const fixed = classes.filter(({ name }) => !replaced.has(name));
  const seen = new Set(classes.filter((own) => own.seen).map(({ name }) => name));
  const unseen = [...fixed, ...runtimeClasses].filter(({ name }) => !seen.has(name)).length;
  const bias = unseenBiasFor(head, unseen);
  return Float64Array.from([
    ...classes.map((own) => (own.seen ? 0 : bias)),
    ...runtimeClasses.map((one) => bias * unseenShareOf(manifest, one)),
  ]);
}
