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
  'registry-unavailable', // the store of runtime classes cannot be reached or written; it may come back by itself
  'registry-invalid', // a store that is damaged, not ours, or of a newer schema than this program knows
  // what a server answers, and what its client hears
  'request-invalid', // a request that cannot be understood
  'attributes-invalid', // an attribute vector that does not fit the model
  'unauthenticated', // a key is needed
  'forbidden', // this caller may not do that
  'not-found', // no such route or resource
  'method-not-allowed', // the route exists, the method does not
  'conflict', // it exists with other content
  'precondition-failed', // it has changed since it was read
  'precondition-required', // a change must say which state it was made against
  'too-large', // a body over the limit
  'upload-timeout', // a body that came too slowly
  'rate-limited', // one caller asks too often
  'overloaded', // the queue is full
  'draining', // the server is about to stop
  'not-ready', // no model is loaded yet, or its workers are gone
  'inference-failed', // a picture was lost with the worker that held it
  'deadline-exceeded', // no answer within the time that was set
  'server-unreachable', // a client found no server
  'internal', // a defect of ours, with its details in the log only
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** Where in a request something is wrong: a JSON pointer (RFC 6901) and what to change there. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

export interface FailureOptions extends ErrorOptions {
  readonly fields?: readonly FieldProblem[];
  /** When trying again makes sense. */
  readonly retryAfterSeconds?: number;
}

export class Failure extends Error {
  readonly fields: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: FailureCode,
    message: string,
    options: FailureOptions = {},
  ) {
    super(message, options);
    this.name = 'Failure';
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
