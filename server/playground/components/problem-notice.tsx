import { useEffect, useState } from 'preact/hooks';
import type { UnseenProblem } from '../../../client/index.js';
import { inWords, isPassing } from '../state/problem-words.js';

interface Properties {
  readonly problem: UnseenProblem;
  /** Offered when the same request may succeed later. */
  readonly retry?: () => unknown;
  readonly children?: preact.ComponentChildren;
}

export function ProblemNotice({ problem, retry, children }: Properties) {
  const { title, detail } = inWords(problem);
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{detail}</p>
      {problem.requestId !== undefined && isPassing(problem) && (
        <p class="fine">Request {problem.requestId}</p>
      )}
      {retry && isPassing(problem) && <RetryButton problem={problem} retry={retry} />}
      {children}
    </div>
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
