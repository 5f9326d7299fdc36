import { useEffect, useState } from 'preact/hooks';
import type { UnseenProblem } from '../../../client/index.js';
import { attributeWords } from '../state/model.js';
import { fieldSentence, fieldWords } from '../state/plain-words.js';
import { inWords, isPassing } from '../state/problem-words.js';

const maxListed = 5;

interface Properties {
  readonly problem: UnseenProblem;
  /** Offered when the same request may succeed later. */
  readonly retry?: () => unknown;
  readonly children?: preact.ComponentChildren;
}

export function ProblemNotice({ problem, retry, children }: Properties) {
  const { title, detail } = inWords(problem);
  // The detail of a refused form names its fields as programs do.
  const isListed =
    problem.errors.length > 0 &&
    (problem.code === 'attributes-invalid' || problem.code === 'request-invalid');
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      {isListed ? <Fields problem={problem} /> : <p>{detail}</p>}
      {problem.requestId !== undefined && isPassing(problem) && (
        <p class="fine">Request {problem.requestId}</p>
      )}
      {retry && isPassing(problem) && <RetryButton problem={problem} retry={retry} />}
      {children}
    </div>
  );
}

/** What is wrong in the form, field by field. */
function Fields({ problem: { errors } }: Pick<Properties, 'problem'>) {
  const more = errors.length - maxListed;
  return (
    <ul>
      {errors.slice(0, maxListed).map(({ pointer, detail }) => (
        <li key={pointer}>{fieldSentence(fieldWords(pointer, attributeWords), detail)}</li>
      ))}
      {more > 0 && <li>And {more} more.</li>}
    </ul>
  );
}

/** Not before the time that the server names in Retry-After. */
function RetryButton({ problem, retry }: Required<Pick<Properties, 'problem' | 'retry'>>) {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const until = performance.now() + (problem.retryAfterSeconds ?? 0) * 1000;
    const count = (): void => {
      setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    };
    count();
    const timer = setInterval(count, 250);
    return () => {
      clearInterval(timer);
    };
  }, [problem]);
  return (
    <button type="button" class="button" disabled={left > 0} onClick={() => void retry()}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
}
