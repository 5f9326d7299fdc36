/**
 * The closed set of expected failures. A failure is something that the caller can fix: its message says what is wrong
 * and what to change. Any other error that is thrown is a defect in Unseen.
 */
export const failureCodes = [
  'usage', // the command line or a call is wrong
  'config-invalid', // a setting has a value that cannot work
  'dataset-not-found', // no dataset where one was named
  'dataset-invalid', // a dataset that contradicts itself or holds unusable values
  'bundle-not-found', // no bundle where one was named
  'bundle-invalid', // a bundle that is truncated, altered, or of another schema version
  'output-exists', // writing would overwrite something
  'engine-unavailable', // the requested compute engine or provider is not available on this machine
  'training-failed', // values became NaN or infinite, or a saved model did not give the scores of the model in memory
  'interrupted', // the user asked to stop
  'backbone-unavailable', // no such backbone, or its weights are not here and cannot be fetched
  'backbone-invalid', // weights that differ from their hash, or a network that cannot give features
  'image-type-refused', // bytes that are no JPEG, PNG or WebP
  'image-invalid', // a picture that cannot be decoded, or has too many pixels
  'registry-unavailable', // the store of runtime classes cannot be reached or written; it may come back by itself
  'registry-invalid', // a store that is damaged, belongs to another program, or has a newer schema than this version supports
  // errors of the server and its client
  'request-invalid', // a request that cannot be understood
  'attributes-invalid', // a body that does not fit: attributes that the model does not have, lists that are too long, an unknown field
  'class-unknown', // a class or group that a request names is not there
  'unauthenticated', // a key is needed
  'forbidden', // this caller may not do that
  'not-found', // no such route or resource
  'method-not-allowed', // the route exists, the method does not
  'conflict', // it does not go together with what is there: another content under its name, a group of the same family
  'limit-reached', // as much of it is kept as may be
  'too-few-pictures', // a pool of unlabelled pictures that is too small to learn from
  'nothing-learnt', // a pool of unlabelled pictures that says nothing new of any class
  'precondition-failed', // it has changed since it was read
  'precondition-required', // a change must name the version it replaces (If-Match)
  'too-large', // a body above the size limit
  'upload-timeout', // a body that arrived too slowly
  'rate-limited', // one caller sends requests too often
  'overloaded', // too much is under way: pictures, uploads, questions about pools
  'draining', // the server is about to stop
  'not-ready', // no model is loaded yet, or its workers are gone
  'inference-failed', // a picture was lost with the worker that held it
  'fitting-unavailable', // the process that fits classes ended or hangs, or an adaptation is still being computed
  'idempotency-key-reused', // an Idempotency-Key that came with another request before
  'deadline-exceeded', // no answer within the time that was set
  'server-unreachable', // the client could not connect
  'internal', // a defect in Unseen; its details are in the log only
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** Where in a request something is wrong: a JSON pointer (RFC 6901) and what to change there. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

interface FailureOptions extends ErrorOptions {
  readonly fields?: readonly FieldProblem[];
  /** How long to wait before retrying. */
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
