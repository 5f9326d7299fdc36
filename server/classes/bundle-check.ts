/** Whether a bundle can use the classes that were added under another one: asked before it is loaded, and when it is. */
import type { Manifest } from '../../core/bundle/manifest.js';
import type { KnownClass } from './contract.js';
import type { ClassContent } from './store/contract.js';

export interface BundleCheck {
  /** Stored classes that would compete under the bundle. */
  readonly usable: number;
  /** Those that would not, and why. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** Those of them whose name the bundle has itself. */
  readonly collisions: readonly string[];
}

/** Names are looked up, not counted: a map or a set. */
interface Names {
  has(name: string): boolean;
}

const maxNamed = 5;

/** Why a bundle cannot use a class; undefined when it can. */
export function problemWithBundle(
  { name, attributes }: ClassContent,
  ownClasses: Names,
  attributeNames: readonly string[],
): string | undefined {
  if (ownClasses.has(name)) return 'the model has a class of this name itself';
  const missing = attributeNames.filter((attribute) => !Object.hasOwn(attributes, attribute));
  if (missing.length === 0) return undefined;
  const shown = missing.slice(0, maxNamed).join(', ');
  const more = missing.length > maxNamed ? ', …' : '';
  return `the model asks for ${missing.length} attributes that it does not have: ${shown}${more}`;
}

export function checkWithBundle(manifest: Manifest, classes: readonly KnownClass[]): BundleCheck {
  const ownClasses = new Set(manifest.classes.map(({ name }) => name));
  const attributeNames = manifest.attributes.map(({ name }) => name);
  const stored = classes.filter(({ runtime }) => runtime);
  const unusable = stored.flatMap((one) => {
    const reason = problemWithBundle(one, ownClasses, attributeNames);
    return reason === undefined ? [] : [{ name: one.name, reason }];
  });
  return {
    usable: stored.length - unusable.length,
    unusable,
    collisions: unusable.map(({ name }) => name).filter((name) => ownClasses.has(name)),
  };
}
