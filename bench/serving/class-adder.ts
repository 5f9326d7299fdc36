/** Adds classes through POST /classes: copies of the model's own with perturbed attributes, within their ranges. */
import { classParts, UnseenClient } from '../../client/index.js';
import type { Random } from '../../core/random.js';
import type { AttributesResponse } from '../../server/contract/schemas.js';
import type {
  ClassListResponse,
  ClassResponse,
  CreatedResponse,
} from '../../server/contract/class-schemas.js';
import { serverKey } from '../../fixtures/server-key.js';

type Attributes = Readonly<Record<string, number>>;

/** Share of an attribute's range. */
const deviation = 0.1;

export class ClassAdder {
  /** The revision with which each was acknowledged. */
  readonly added = new Map<string, number>();

  private constructor(
    private readonly url: string,
    private readonly random: Random,
    private readonly ranges: AttributesResponse['attributes'],
    private readonly patterns: readonly Attributes[],
  ) {}

  static async open(url: string, random: Random): Promise<ClassAdder> {
    const { attributes } = await get<AttributesResponse>(`${url}/attributes`);
    const { classes } = await get<ClassListResponse>(`${url}/classes?limit=1000`);
    const patterns: Attributes[] = [];
    for (const { name } of classes) {
      const found = await get<ClassResponse>(`${url}/classes/${encodeURIComponent(name)}`);
      patterns.push(found.attributes);
    }
    return new ClassAdder(url, random, attributes, patterns);
  }

  get ownClasses(): number {
    return this.patterns.length;
  }

  /** How many milliseconds it took. */
  async add(name: string): Promise<number> {
    const body = JSON.stringify(this.draft(name));
    const started = performance.now();
    const headers = { 'content-type': 'application/json', 'x-api-key': serverKey };
    const response = await fetch(`${this.url}/classes`, { method: 'POST', headers, body });
    if (response.status !== 201)
      throw new Error(`adding a class was answered ${response.status}: ${await response.text()}`);
    const { registryRevision } = (await response.json()) as CreatedResponse;
    this.added.set(name, registryRevision);
    return performance.now() - started;
  }

  /** Many in one request, as many as fit into it. */
  addMany(names: readonly string[]): Promise<void> {
    return this.addAll(names.map((name) => this.draft(name)));
  }

  /** Classes of one's own, in as many requests as they need. */
  async addAll(all: readonly { readonly name: string; readonly attributes: Attributes }[]): Promise<void> {
    const client = new UnseenClient({ url: this.url, key: serverKey, timeoutSeconds: 600 });
    for (const classes of classParts(all)) {
      const { registryRevision } = await client.createClasses(classes);
      for (const { name } of classes) this.added.set(name, registryRevision);
    }
  }

  /** A class as it might be sent, without sending it. */
  draft(name: string): { name: string; attributes: Attributes } {
    return { name, attributes: this.perturbed() };
  }

  private perturbed(): Attributes {
    const pattern = this.patterns[this.random.integer(this.patterns.length)];
    return Object.fromEntries(
      this.ranges.map(({ name, minimum, maximum }) => {
        const value = pattern[name] + deviation * (maximum - minimum) * this.random.normal();
        return [name, Math.min(maximum, Math.max(minimum, value))];
      }),
    );
  }
}

async function get<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${url} was answered ${response.status}`);
  return (await response.json()) as T;
}
