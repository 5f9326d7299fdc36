import type { Manifest } from '../bundle/manifest.js';
import { unseenBiasFor } from '../head/unseen-bias.js';
import { evidenceSettingsOf, unseenShare } from './evidence.js';
import type { RuntimeClass } from './runtime-class.js';

type OwnClass = Manifest['classes'][number];
interface BundleHead {
  readonly head: Pick<Manifest['head'], 'evidence'>;
}
type CompetingDescription = Pick<RuntimeClass, 'name' | 'attributes' | 'examples' | 'assigned'>;

/** The part of the bias on unseen classes that a class gets: all of it without pictures, the less the more it has, labelled or assigned. */
export function unseenShareOf(
  manifest: Pick<Manifest, 'classes' | 'head'>,
  one: CompetingDescription,
): number {
  return shareOf(
    manifest,
    one,
    manifest.classes.find(({ name }) => name === one.name),
  );
}

/** The same of a class of the bundle, as training left it: a few-shot class has pictures. */
export function ownUnseenShare(manifest: BundleHead, own: OwnClass): number {
  return shareOf(manifest, { attributes: own.attributes }, own);
}

/** What serving adds to the score of each class, the runtime classes counted after the bundle's. */
export function servingBiases(
  manifest: Manifest,
  runtimeClasses: readonly CompetingDescription[],
): Float64Array {
  const { classes, head } = manifest;
  const own = new Map(classes.map((one) => [one.name, one]));
  const replaced = new Set(runtimeClasses.map(({ name }) => name));
  const fixed = classes.filter(({ name }) => !replaced.has(name));
  const unseen = [...fixed, ...runtimeClasses].filter(({ name }) => !own.get(name)?.seen).length;
  const bias = unseenBiasFor(head, unseen);
  return unseenSharesOf(manifest, runtimeClasses).map((share) => share * bias);
}

/** The part of the bias that each class gets, in the same order. */
export function unseenSharesOf(
  manifest: Manifest,
  runtimeClasses: readonly CompetingDescription[],
): Float64Array {
  const { classes } = manifest;
  const own = new Map(classes.map((one) => [one.name, one]));
  return Float64Array.from([
    ...classes.map((one) => ownUnseenShare(manifest, one)),
    ...runtimeClasses.map((one) => shareOf(manifest, one, own.get(one.name))),
  ]);
}

/** Pictures that training had of a few-shot class count as those that were added. */
function shareOf(
  manifest: BundleHead,
  { attributes, examples, assigned }: Omit<CompetingDescription, 'name'>,
  own: OwnClass | undefined, // the bundle's class of that name
): number {
  if (own?.seen) return 0;
  const pictures = (own?.fewShot ?? 0) + (examples?.rows ?? 0) + (assigned?.pictures ?? 0);
  return unseenShare(evidenceSettingsOf(manifest), pictures, !attributes.every(Number.isNaN));
}
