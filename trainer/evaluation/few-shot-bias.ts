import type { Manifest } from '../../core/bundle/manifest.js';
import { ownUnseenShare } from '../../core/fitting/serving-bias.js';

/**
 * Serving gives a few-shot class only a part of the bias on unseen classes. Evaluation adds one bias to all unseen classes, whatever it is; with
 * this added to the scores first, (C), few-shot classes get their part when that bias is `unseenBias`. Undefined without any.
 */
export function fadedBiasOf(
  {
    classes,
    head,
  }: { readonly classes: Manifest['classes']; readonly head: Pick<Manifest['head'], 'evidence'> },
  unseenBias: number,
): Float64Array | undefined {
  if (classes.every(({ fewShot }) => !fewShot)) return undefined;
  return Float64Array.from(classes, (own) =>
    own.fewShot ? unseenBias * (ownUnseenShare({ head }, own) - 1) : 0,
  );
}
