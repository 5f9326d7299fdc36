/** One call: time limit, error responses as UnseenProblem, and retries after the delay that the server asks for (Retry-After). */
import { readProblem, UnseenProblem } from './unseen-problem.js';

export interface SenderOptions {
  /** Where the server is, for example http://127.0.0.1:8080. A path is kept: the server may be behind a prefix. */
  readonly url: string | URL;
  /** Sent as a bearer token. Where there are environment variables (Node), UNSEEN_KEY when not given. */
  readonly key?: string | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** For a whole call, retries included. */
  readonly timeoutSeconds?: number | undefined;
  /** How often a call is retried when the server is busy (429, 503) and sends Retry-After. */
  readonly retries?: number | undefined;
}

export interface Call {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal | undefined;
  /** Statuses that are answers, besides 2xx. */
  readonly accept?: readonly number[];
  /** Instead of that of the client. */
  readonly timeoutSeconds?: number | undefined;
}

export class Sender {
  private readonly base: string;
  private readonly key: string | undefined;
  private readonly fetch: typeof fetch;
  private readonly timeoutSeconds: number;
  private readonly retries: number;

  constructor(options: SenderOptions) {
    this.key = options.key ?? keyInEnvironment();
    this.base = String(options.url).replace(/\/+$/, '');
    // Called as a plain function: browsers reject fetch as a method of another object.
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.timeoutSeconds = options.timeoutSeconds ?? 30;
    this.retries = options.retries ?? 2;
  }

  /** The JSON of the response. Calls may be repeated, so they must be idempotent. */
  async send<T>(path: string, call: Call = {}): Promise<T> {
    const { timeoutSeconds = this.timeoutSeconds } = call;
    const limit = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
    const deadline = Date.now() + timeoutSeconds * 1000;
    try {
      for (let attempt = 0; ; attempt++) {
        const response = await this.attempt(path, call, signal);
        if (response.status === 204) return undefined as T;
        if (response.ok || call.accept?.includes(response.status)) return await readJson<T>(response);
        const problem = await readProblem(response);
        const wait = retryDelay(problem);
        if (attempt >= this.retries || wait === null || Date.now() + wait > deadline) throw problem;
        await sleep(wait, signal);
      }
    } catch (error) {
      call.signal?.throwIfAborted(); // the caller's own reason, not ours
      if (limit.aborted)
        throw new UnseenProblem(
          {
            code: 'deadline-exceeded',
            detail: `${this.base} gave no answer within ${timeoutSeconds} s.`,
          },
          { cause: error },
        );
      throw error;
    }
  }

  private async attempt(path: string, call: Call, signal: AbortSignal): Promise<Response> {
    const { method = 'GET', query = {}, headers, body } = call;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
        if (one !== undefined) search.append(name, String(one));
    try {
      return await this.fetch(`${this.base}${path}${search.size > 0 ? `?${search.toString()}` : ''}`, {
        method,
        headers: { ...headers, ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }) },
        ...(body !== undefined && { body }),
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new UnseenProblem(
        { code: 'server-unreachable', detail: `${this.base} cannot be reached: ${reasonOf(error)}.` },
        { cause: error },
      );
    }
  }
}

function keyInEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.UNSEEN_KEY || undefined; // empty is as good as not set
}

/** Milliseconds until the next attempt, or null when the call should not be retried. */
function retryDelay({ status, retryAfterSeconds }: UnseenProblem): number | null {
  if ((status !== 429 && status !== 503) || retryAfterSeconds === undefined) return null;
  // Never earlier than the server asked, with jitter so that clients do not retry all at once.
  return retryAfterSeconds * 1000 * (1 + Math.random() / 2);
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    const detail = `The server answered ${response.status} with a body that is not JSON. Is it an Unseen server?`;
    throw new UnseenProblem({ status: response.status, code: 'internal', detail }, { cause: error });
  }
}

/** fetch reports only that it failed; the reason is its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  if (cause?.code === 'ECONNREFUSED') return 'no server listens there (ECONNREFUSED)';
  return cause?.message || cause?.code || (error as Error).message;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
