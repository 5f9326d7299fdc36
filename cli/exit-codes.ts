import type { FailureCode } from '../core/failures.js';

/** One place where failures meet the shell; `unseen --help` prints it. */
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
  unauthenticated: 10,
  forbidden: 10,
  'not-found': 10,
  'method-not-allowed': 10,
  conflict: 10,
  'precondition-failed': 10,
  'precondition-required': 10,
  'too-large': 10,
  'upload-timeout': 10,
  'rate-limited': 10,
  overloaded: 10,
  draining: 10,
  'not-ready': 10,
  'inference-failed': 10,
  'deadline-exceeded': 10,
  'server-unreachable': 10,
  internal: 10,
};

export const exitCodeHelp = `
Exit codes:
  0    done
  1    a defect of ours: please report it
  2    wrong options or settings, or the output exists already
  3    the dataset is missing or wrong
  4    the bundle is missing or damaged
  5    the engine or provider asked for is not on this machine
  6    training failed
  7    the backbone is missing, cannot be fetched, or cannot serve
  8    a picture cannot be used
  9    the registry of runtime classes cannot be reached or used
  10   the server refused, or cannot be reached
  130  stopped by Ctrl-C or SIGTERM`;
