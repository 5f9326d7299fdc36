/** Clients that add and remove classes until the server is gone, and record which changes were acknowledged. */
import type { Random } from '../../core/random.js';
import { serverKey } from '../../fixtures/server-key.js';

/** What must be true of a class: it exists with this ETag, it is gone, or, without a response, either. */
export type Expectation =
  { readonly kind: 'there'; readonly etag: string } | { readonly kind: 'gone' } | { readonly kind: 'either' };

/** All of them must fit into one response, since the audit looks for every class there. */
const maxClasses = 100;

export class ClassChurn {
  readonly expected = new Map<string, Expectation>();
  acknowledged = 0;
  private number = 0;

  constructor(
    private readonly random: Random,
    private readonly attributes: number,
  ) {}

  /** Returns when the server is gone; any error response before that is thrown. */
  async run(url: string, clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.client(url)));
  }

  private async client(url: string): Promise<void> {
    for (;;) {
      const victim = this.victim();
      const name = victim ?? `class ${++this.number}`;
      this.expected.set(name, { kind: 'either' }); // until there is an answer; other clients leave it alone meanwhile
      const answer = victim === undefined ? await this.add(url, name) : await remove(url, name);
      if (answer === null) return;
      if (!answer.ok) throw new Error(`a change was answered ${answer.status}: ${answer.text}`);
      this.acknowledged += 1;
      this.expected.set(name, victim === undefined ? { kind: 'there', etag: answer.etag } : { kind: 'gone' });
    }
  }

  /** A class to remove: sometimes at random, and always when there are too many. */
  private victim(): string | undefined {
    const there = [...this.expected].filter(([, { kind }]) => kind === 'there');
    const isTurn = there.length > maxClasses || this.random.integer(4) === 0;
    return isTurn && there.length > 0 ? there[this.random.integer(there.length)][0] : undefined;
  }

  private add(url: string, name: string): Promise<Answered | null> {
    const attributes = Array.from({ length: this.attributes }, () => this.random.uniform());
    return send(
      `${url}/classes`,
      'POST',
      { 'content-type': 'application/json' },
      JSON.stringify({ name, attributes }),
    );
  }
}

interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  readonly etag: string;
}

function remove(url: string, name: string): Promise<Answered | null> {
  return send(`${url}/classes/${encodeURIComponent(name)}`, 'DELETE', { 'if-match': '*' });
}

/** Null when the connection broke before the response was complete. */
async function send(
  url: string,
  method: string,
  given: Record<string, string>,
  body?: string,
): Promise<Answered | null> {
  const headers = { ...given, 'x-api-key': serverKey };
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    return { ok: response.ok, status: response.status, text, etag: response.headers.get('etag') ?? '' };
  } catch {
    return null;
  }
}
