/** Whether a bundle can use the classes that were added under another one: asked before it is loaded, and when it is. */
import type { Manifest } from '../../core/bundle/manifest.js';
import type { Classes } from './contract.js';
import type { ClassContent } from './store/contract.js';

export interface BundleCheck {
  /** Stored classes that would compete under the bundle. */
  readonly usable: number;
  /** Those that would not, and why. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** Those of them whose name the bundle has itself. */
  readonly collisions: readonly string[];
  /** Examples that were made with another network than the bundle's. */
  readonly unusableExamples: number;
}

/** A group of which a bundle would lack classes: they would not answer. */
export interface GroupCheck {
  readonly name: string;
  readonly missing: readonly string[];
}

/** Names are looked up, not counted: a map or a set. */
interface Names {
  has(name: string): boolean;
}

const maxNamed = 5;

/**
 * Why a bundle cannot use a class; undefined when it can. What the class leaves open is filled in; a class that has attributes which the
 * bundle does not know, and lacks some that it asks for, was described for another model.
 */
export function problemWithBundle(
  { name, attributes, own }: ClassContent,
  usableExamples: number,
  ownClasses: Names,
  attributeNames: readonly string[],
): string | undefined {
  if (own)
    return ownClasses.has(name)
      ? undefined
      : 'only pictures of it are stored, for a model that had the class itself; this one does not';
  if (ownClasses.has(name)) return 'the model has a class of this name itself';
  if (usableExamples > 0) return undefined;
  const missing = attributeNames.filter((attribute) => !Object.hasOwn(attributes, attribute));
  const given = Object.keys(attributes).length;
  const known = attributeNames.length - missing.length;
  if (missing.length === 0 || (known > 0 && known === given)) return undefined;
  if (given === 0) return 'nothing but pictures is known of it, and another network was used for them';
  const shown = missing.slice(0, maxNamed).join(', ');
  const more = missing.length > maxNamed ? ', …' : '';
  return `the model asks for ${missing.length} attributes that it does not have: ${shown}${more}`;
}

/** `backbone`: the network whose features the bundle takes, as exampleBackbone() names it. */
export function checkWithBundle(
  manifest: Manifest,
  backbone: string,
  classes: Pick<Classes, 'list' | 'examplesOf'>,
): BundleCheck {
  const ownClasses = new Set(manifest.classes.map(({ name }) => name));
  const attributeNames = manifest.attributes.map(({ name }) => name);
  const all = classes.list();
  const stored = all.filter(({ runtime, examples }) => runtime || examples > 0);
  let unusableExamples = 0;
  const unusable = stored.flatMap(({ name, attributes, runtime }) => {
    const examples = classes.examplesOf(name);
    const usable = examples.filter((one) => one.backbone === backbone).length;
    unusableExamples += examples.length - usable;
    const content = { name, attributes, ...(!runtime && { own: true as const }) };
    const reason = problemWithBundle(content, usable, ownClasses, attributeNames);
    return reason === undefined ? [] : [{ name, reason }];
  });
  return {
    usable: stored.length - unusable.length,
    unusable,
    collisions: unusable.map(({ name }) => name).filter((name) => ownClasses.has(name)),
    unusableExamples,
  };
}

/** Only groups that would lack something. `unusable`: stored classes that the bundle cannot use. */
export function groupsWithBundle(
  manifest: Manifest,
  { unusable }: Pick<BundleCheck, 'unusable'>,
  classes: Pick<Classes, 'list' | 'groups'>,
): GroupCheck[] {
  const present = new Set(manifest.classes.map(({ name }) => name));
  for (const { name, runtime } of classes.list()) if (runtime) present.add(name);
  for (const { name } of unusable) present.delete(name);
  return classes.groups().flatMap(({ name, classes: members }) => {
    const missing = members.filter((member) => !present.has(member));
    return missing.length > 0 ? [{ name, missing }] : [];
  });
}
