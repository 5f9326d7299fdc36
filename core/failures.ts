/**
 * The closed set of ways in which Unseen refuses to go on. A failure is something that the caller can mend: its
 * message says what is wrong and what to change. Anything else that is thrown is a defect of ours.
 */
export const failureCodes = [
  'usage', // the command line or a call is wrong
  'config-invalid', // a setting has a value that cannot work
  'dataset-not-found', // no dataset where one was named
  'dataset-invalid', // a dataset that contradicts itself or holds unusable values
  'bundle-not-found', // no bundle where one was named
  'bundle-invalid', // a bundle that is truncated, altered, or of another schema version
  'output-exists', // writing would overwrite something
  'engine-unavailable', // the compute engine or provider asked for is not on this machine
  'training-failed', // numbers stopped being finite, or a written model did not reproduce itself
  'interrupted', // the user asked to stop
  'backbone-unavailable', // no such backbone, or its weights are not here and cannot be fetched
  'backbone-invalid', // weights that differ from their hash, or a network that cannot give features
  'image-type-refused', // bytes that are no JPEG, PNG or WebP
  'image-invalid', // a picture that cannot be decoded, or has too many pixels
] as const;

export type FailureCode = (typeof failureCodes)[number];

export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'Failure';
  }
}
