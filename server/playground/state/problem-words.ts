/** Error codes in plain words: what happened and what to do about it. The server's own detail is shown with it, in plain words. */
import type { UnseenProblem } from '../../../client/index.js';
import { plainWords } from './plain-words.js';

type Code = UnseenProblem['code'];

const titles: Partial<Record<Code, string>> = {
  'server-unreachable': 'The server cannot be reached',
  'deadline-exceeded': 'The answer took too long',
  overloaded: 'The server is too busy',
  'rate-limited': 'Too many requests in a short time',
  draining: 'The server is about to stop',
  'not-ready': 'The server is not ready yet',
  'inference-failed': 'The picture was lost on the way',
  'registry-unavailable': 'Classes cannot be changed at the moment',
  'registry-invalid': 'Classes cannot be changed',
  'fitting-unavailable': 'Classes cannot be changed at the moment',
  'too-large': 'This is too large',
  'upload-timeout': 'The upload took too long',
  'image-type-refused': 'This kind of file cannot be read',
  'image-invalid': 'This picture cannot be used',
  unauthenticated: 'A key is needed',
  forbidden: 'This is not allowed',
  'too-few-pictures': 'These are too few pictures',
  'nothing-learnt': 'These pictures say nothing new',
  'limit-reached': 'The limit of the server is reached',
  'not-found': 'It no longer exists',
  conflict: 'It exists already, with other attributes',
  'precondition-failed': 'Somebody else has changed it meanwhile',
  'attributes-invalid': 'These attributes do not fit the model',
  'request-invalid': 'The server did not understand the request',
};

const advice: Partial<Record<Code, string>> = {
  'server-unreachable': 'Is it still running? This page tries again every few seconds.',
  'image-type-refused': 'JPEG, PNG and WebP pictures can be read.',
  'inference-failed': 'Ask again; nothing was changed.',
  unauthenticated: 'Whoever runs the server has one. Try again to enter it.',
};

interface Words {
  readonly title: string;
  readonly detail: string;
}

export function inWords({ code, detail }: Pick<UnseenProblem, 'code' | 'detail'>): Words {
  return { title: titles[code] ?? 'Something went wrong', detail: advice[code] ?? plainWords(detail) };
}

/** Transient errors: retrying the same request may succeed. */
export function isPassing({ code, status }: Pick<UnseenProblem, 'code' | 'status'>): boolean {
  return code === 'server-unreachable' || status === undefined || status === 429 || status >= 500;
}

/** The server was away, or about to be: what failed is asked again as soon as it is back. */
export function isOutage({ code }: Pick<UnseenProblem, 'code'>): boolean {
  return code === 'server-unreachable' || code === 'not-ready' || code === 'draining';
}
