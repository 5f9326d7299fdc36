import type { FailureCode } from '../core/failures.js';

/** The exit code of every failure; `unseen --help` lists them. */
export const exitCodes: Record<FailureCode, number> = {
  usage: 2,
  'config-invalid': 2,
  'output-exists': 2,
  'dataset-not-found': 3,
  'dataset-invalid': 3,
  'bundle-not-found': 4,
  'bundle-invalid': 4,
  'engine-unavailable': 5,
  'training-failed': 6,
  interrupted: 130,
  'backbone-unavailable': 7,
  'backbone-invalid': 7,
  'image-type-refused': 8,
  'image-invalid': 8,
  'registry-unavailable': 9,
  'registry-invalid': 9,
  'request-invalid': 10,
  'attributes-invalid': 10,
  'class-unknown': 10,
  unauthenticated: 10,
  forbidden: 10,
  'not-found': 10,
  'method-not-allowed': 10,
  conflict: 10,
  'limit-reached': 10,
  'too-few-pictures': 10,
  'nothing-learnt': 10,
  'precondition-failed': 10,
  'precondition-required': 10,
  'too-large': 10,
  'upload-timeout': 10,
  'rate-limited': 10,
  overloaded: 10,
  draining: 10,
  'not-ready': 10,
  'inference-failed': 10,
  'fitting-unavailable': 10,
  'idempotency-key-reused': 10,
  'deadline-exceeded': 10,
  'server-unreachable': 10,
  internal: 10,
};

export const exitCodeHelp = `
Exit codes:
  0    success
  1    a defect in Unseen: please report it
  2    wrong options or settings, or the output exists already
  3    the dataset is missing or wrong
  4    the bundle is missing or damaged
  5    the requested engine or provider is not available on this machine
  6    training failed
  7    the backbone is missing, cannot be fetched, or cannot serve
  8    a picture cannot be used
  9    the registry of added classes cannot be reached or used
  10   the server rejected the request, failed, or cannot be reached
  130  stopped by Ctrl-C or SIGTERM`;
