import type { Manifest } from '../../core/bundle/manifest.js';
import { Failure } from '../../core/failures.js';

/** Refuses a bias on unseen classes beyond the range from "all seen" to "all unseen" of the model. */
export function checkUnseenBias(
  value: number | undefined,
  { head }: Pick<Manifest, 'head'>,
  parameter: { readonly name: string; readonly pointer: string },
): void {
  const [minimum, maximum] = head.unseenBiasRange;
  if (value === undefined || (value >= minimum && value <= maximum)) return;
  throw new Failure(
    'request-invalid',
    `${parameter.name} must lie between ${minimum} and ${maximum} for this model; ${head.unseenBias} is its default.`,
    { fields: [{ pointer: parameter.pointer, detail: `from ${minimum} to ${maximum}` }] },
  );
}
