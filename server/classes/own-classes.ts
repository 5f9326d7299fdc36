import type { Manifest } from '../../core/bundle/manifest.js';
import type { KnownClass } from './contract.js';
import { etagOf } from './store/content.js';

/** The classes that the bundle was trained with, by name, in its order. */
export function ownClasses({
  attributes,
  classes,
}: Pick<Manifest, 'attributes' | 'classes'>): ReadonlyMap<string, KnownClass> {
  return new Map(
    classes.map(({ name, seen, attributes: values, fewShot: trainedExamples }) => {
      const named = Object.fromEntries(attributes.map((attribute, k) => [attribute.name, values[k]]));
      const etag = etagOf({ name, attributes: named });
      const described = { name, seen, runtime: false, attributes: named, examples: 0, etag, revision: 0 };
      return [name, trainedExamples ? { ...described, trainedExamples } : described];
    }),
  );
}
