/** Clients that add and remove classes and pictures of them until the server is gone, and record which changes were acknowledged. */
import sharp from 'sharp';
import type { Random } from '../../core/random.js';
import { serverKey } from '../../fixtures/server-key.js';
import type { AddedExamplesResponse, ExampleListResponse } from '../../server/contract/class-schemas.js';

/**
 * What must be true of a class: it exists with this ETag and so many examples, it is gone, or, without a response, either.
 * `unanswered`: how many more or less would be there had a request without a response succeeded; nothing in between.
 */
export type Expectation =
  | {
      readonly kind: 'there';
      readonly etag: string;
      readonly examples: number;
      readonly unanswered?: number;
    }
  | { readonly kind: 'gone' }
  | { readonly kind: 'either'; readonly examples: number };

type Present = Expectation & { readonly kind: 'there' };

/** All of them must fit into one response, since the audit looks for every class there. */
const maxClasses = 100;
const maxPictures = 3;

export class ClassChurn {
  readonly expected = new Map<string, Expectation>();
  /** Changes of any kind. */
  acknowledged = 0;
  acknowledgedExamples = 0;
  private number = 0;
  private pictures = 0;
  /** What a client is changing: others leave it alone meanwhile. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly random: Random,
    private readonly attributes: number,
  ) {}

  /** Returns when the server is gone; any error response before that is thrown. */
  async run(url: string, clients: number): Promise<void> {
    this.busy.clear();
    await Promise.all(Array.from({ length: clients }, () => this.client(url)));
  }

  private async client(url: string): Promise<void> {
    for (;;) {
      const there = [...this.expected].filter(
        (one): one is [string, Present] => one[1].kind === 'there' && !this.busy.has(one[0]),
      );
      const turn = there.length > maxClasses ? 0 : there.length === 0 ? 3 : this.random.integer(4);
      const [name, present] =
        turn < 3 ? there[this.random.integer(there.length)] : [`class ${++this.number}`];
      this.busy.add(name);
      const isAnswered =
        present === undefined
          ? await this.create(url, name)
          : turn === 0
            ? await this.remove(url, name, present)
            : await this.addExamples(url, name, present);
      if (!isAnswered) return;
      this.acknowledged += 1;
      this.busy.delete(name);
    }
  }

  /** Half of them as JSON, half as a form with pictures. */
  private async create(url: string, name: string): Promise<boolean> {
    const attributes = Array.from({ length: this.attributes }, () => this.random.uniform());
    const described = JSON.stringify({ name, attributes });
    const count = this.random.integer(2) * (1 + this.random.integer(maxPictures));
    this.expected.set(name, { kind: 'either', examples: count });
    const answer = await send(
      `${url}/classes`,
      'POST',
      count === 0 ? { 'content-type': 'application/json' } : {},
      count === 0 ? described : await this.form(count, described),
    );
    if (!answer) return false;
    this.expected.set(name, { kind: 'there', etag: answer.etag, examples: count });
    this.acknowledgedExamples += count;
    return true;
  }

  private async addExamples(url: string, name: string, present: Present): Promise<boolean> {
    const count = 1 + this.random.integer(maxPictures);
    this.expected.set(name, { ...present, unanswered: count });
    const path = `${url}/classes/${encodeURIComponent(name)}/examples`;
    const answer = await send(path, 'POST', {}, await this.form(count));
    if (!answer) return false;
    const { added } = JSON.parse(answer.text) as AddedExamplesResponse;
    if (added !== count) throw new Error(`${added} of ${count} new pictures were added`);
    this.expected.set(name, { ...present, examples: present.examples + count });
    this.acknowledgedExamples += count;
    return true;
  }

  /** The class with all that it has, or one of its examples. */
  private async remove(url: string, name: string, present: Present): Promise<boolean> {
    const path = `${url}/classes/${encodeURIComponent(name)}`;
    if (present.examples > 0 && this.random.integer(2) === 0) {
      const listed = await send(`${path}/examples`, 'GET', {});
      if (!listed) return false;
      const { examples } = JSON.parse(listed.text) as ExampleListResponse;
      const kept = present.examples - 1;
      this.expected.set(name, { ...present, examples: kept, unanswered: 1 });
      const { id } = examples[this.random.integer(examples.length)];
      if (!(await send(`${path}/examples/${id}`, 'DELETE', {}))) return false;
      this.expected.set(name, { ...present, examples: kept });
      return true;
    }
    this.expected.set(name, { kind: 'either', examples: present.examples });
    if (!(await send(path, 'DELETE', { 'if-match': '*' }))) return false;
    this.expected.set(name, { kind: 'gone' });
    return true;
  }

  private async form(count: number, described?: string): Promise<FormData> {
    const form = new FormData();
    if (described !== undefined) form.append('class', described);
    for (let i = 0; i < count; i++)
      form.append('image', new Blob([await picture(++this.pictures)]), `${i}.png`);
    return form;
  }
}

/** A small one of its own for each number. */
async function picture(number: number): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = Buffer.alloc(8 * 8 * 3, number % 256);
  pixels.writeUInt32LE(number, 0);
  const raw = { width: 8, height: 8, channels: 3 } as const;
  return Uint8Array.from(await sharp(pixels, { raw }).png().toBuffer());
}

interface ClassAnswer {
  readonly text: string;
  readonly etag: string;
}

/** Null when the connection broke before the response was complete. */
async function send(
  url: string,
  method: string,
  given: Record<string, string>,
  body?: string | FormData,
): Promise<ClassAnswer | null> {
  const headers = { ...given, 'x-api-key': serverKey };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    text = await response.text();
  } catch {
    return null;
  }
  if (!response.ok) throw new Error(`a change was answered ${response.status}: ${text}`);
  return { text, etag: response.headers.get('etag') ?? '' };
}
