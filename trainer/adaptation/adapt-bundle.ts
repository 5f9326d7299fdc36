/** A bundle adapted to unlabelled pictures: head rows of the classes that moved are replaced, everything else stays as it is. */
import type { Adaptation } from '../../core/adaptation/adaptation.js';
import { requireHeadTemperature } from '../../core/adaptation/adapt-classes.js';
import { movedClasses } from '../../core/adaptation/moved-classes.js';
import { foldedBias } from '../../core/adaptation/folded-bias.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { writeBundle } from '../../core/bundle/write.js';
import { requireFeatureWidth } from '../../core/bundle/require-feature-width.js';
import { Failure } from '../../core/failures.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { matrix, rowOf, type RowSource } from '../../core/matrix.js';
import { stopIfAsked } from '../../core/stop.js';

/** A pool of which more than this looks like none of the classes is of another domain. */
const maxForeign = 0.8;
export const fewestPictures = 10;

interface AdaptedBundle {
  readonly bundle: Bundle;
  readonly adaptation: Adaptation;
}

/** `labelled`: classes of the bundle with pictures of which it is known that they are theirs; these count with their class from the start. */
export async function adaptBundle(
  bundle: Bundle,
  features: RowSource,
  {
    threads = 0,
    labelled = [],
    refusesForeign = true,
    signal,
  }: {
    threads?: number;
    labelled?: readonly RuntimeClass[];
    refusesForeign?: boolean;
    signal?: AbortSignal;
  } = {},
): Promise<AdaptedBundle> {
  requireUsable(bundle, features);
  const fitter = await RuntimeFitter.open(bundle, { threads, keepsMemory: false });
  try {
    const adaptation = await fitter.adapt(labelled, features, undefined, signal);
    if (refusesForeign && adaptation.none.share > maxForeign)
      throw new Failure(
        'dataset-invalid',
        `${Math.round(100 * adaptation.none.share)} % of the pictures look like none of the bundle's classes: they come from another domain. Give pictures of the kind that the bundle is to classify.`,
      );
    const moved = movedClasses(bundle, labelled, adaptation);
    if (signal) stopIfAsked(signal);
    const { rows } = await fitter.fit(moved);
    const weights = matrix(bundle.weights.rows, bundle.weights.columns, bundle.weights.data.slice());
    const bias = bundle.bias.slice();
    moved.forEach((one, c) => {
      const own = bundle.manifest.classes.findIndex(({ name }) => name === one.name);
      rowOf(weights, own).set(rows[c].weights);
      const { name, attributes } = one;
      bias[own] = foldedBias(bundle.manifest, one, { name, attributes }, rows[c].bias);
    });
    return { bundle: { ...bundle, weights, bias }, adaptation };
  } finally {
    await fitter.release();
  }
}

export async function writeAdapted(target: string, { bundle, adaptation }: AdaptedBundle): Promise<void> {
  await writeBundle(target, {
    ...bundle,
    description: { ...bundle.manifest, adaptation: describedAdaptation(adaptation) },
  });
}

/** As the manifest has it. */
export function describedAdaptation({
  pictures,
  none,
  unseenShare,
  classes,
}: Adaptation): NonNullable<Manifest['adaptation']> {
  return {
    pictures,
    noneShare: none.share,
    unseenShare,
    classes: classes
      .filter(({ assigned }) => assigned !== null)
      .map((one) => ({ name: one.name, pictures: one.pictures, moved: one.moved })),
  };
}

/** What can be said before any picture is read, which may take hours. */
export function requireAdaptable({ manifest }: Pick<Bundle, 'manifest'>): void {
  if (manifest.classes.every(({ seen }) => seen))
    throw new Failure(
      'config-invalid',
      'The bundle has no unseen class that could be adapted: training had pictures of all of its classes.',
    );
  if (manifest.adaptation)
    throw new Failure(
      'config-invalid',
      'The bundle is an adapted one already. Adapt the bundle that it was made from, with all pictures.',
    );
  requireHeadTemperature(manifest);
}

function requireUsable(bundle: Bundle, features: RowSource): void {
  requireAdaptable(bundle);
  requireFeatureWidth(bundle.manifest, features);
  if (features.rows < fewestPictures)
    throw new Failure(
      'dataset-invalid',
      `Nothing can be learnt from ${features.rows} unlabelled pictures. Give hundreds, or label them.`,
    );
}
