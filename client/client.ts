import type * as contract from './answers.js';
import { asBlob, type Picture } from './picture.js';
import { Sender, type Call, type SenderOptions } from './send.js';

export type UnseenClientOptions = SenderOptions;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  /** Of the class registry, as `registryRevision` in answers is: a replica that is behind catches up before it answers. */
  readonly atLeastRevision?: number | undefined;
}

export interface ClassifyOptions extends ReadOptions {
  /** How many classes to answer; 5 when not given. */
  readonly topK?: number | undefined;
  /** Also answer what the model reads from the picture, and what speaks for and against each class. */
  readonly explain?: boolean | undefined;
  /** Instead of the model's own; `attributes()` names the range. */
  readonly unseenBias?: number | undefined;
}

export interface ClassPage {
  readonly kind?: 'seen' | 'unseen' | 'runtime' | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export interface Readiness extends Pick<contract.ReadinessResponse, 'reasons' | 'serving'> {
  readonly ready: boolean;
}

export interface NamedPicture {
  readonly name?: string | undefined;
  readonly picture: Picture;
}

/** Speaks to an Unseen server. Every refusal is an UnseenProblem. */
export class UnseenClient {
  private readonly sender: Sender;

  constructor(options: UnseenClientOptions) {
    this.sender = new Sender(options);
  }

  /** `type` (image/jpeg, image/png, image/webp) is told from the bytes when not given. */
  async classify(
    picture: Picture,
    { type, ...options }: ClassifyOptions & { readonly type?: string | undefined } = {},
  ): Promise<contract.ClassifyResponse> {
    const body = await asBlob(picture, type);
    return this.sender.send('/classify', {
      method: 'POST',
      query: queryOf(options),
      headers: { 'content-type': body.type, ...revisionOf(options) },
      body,
      signal: options.signal,
    });
  }

  /**
   * Several in one request, answered in their order; one that cannot be used has a `problem` and does not spoil the others.
   * (A single one is refused as by `classify`.)
   */
  async classifyMany(
    pictures: readonly (Picture | NamedPicture)[],
    options: ClassifyOptions = {},
  ): Promise<contract.ClassifyManyResponse> {
    const form = new FormData();
    const names: string[] = [];
    for (const given of pictures) {
      const { name = `picture ${names.length + 1}`, picture } =
        'picture' in given ? given : { picture: given };
      names.push(name);
      form.append('image', await asBlob(picture), name);
    }
    const answer = await this.sender.send<contract.ClassifyManyResponse | contract.ClassifyResponse>(
      '/classify',
      {
        method: 'POST',
        query: queryOf(options),
        headers: revisionOf(options),
        body: form,
        signal: options.signal,
      },
    );
    if ('pictures' in answer) return answer;
    const { predictions, explanation, ...footer } = answer; // the server answers a single picture in its own shape
    return { pictures: [{ name: names[0], predictions, ...(explanation && { explanation }) }], ...footer };
  }

  /** What an attribute vector must hold, and the range of `unseenBias`. */
  attributes({ signal }: CallOptions = {}): Promise<contract.AttributesResponse> {
    return this.sender.send('/attributes', { signal });
  }

  /** One page of the classes that compete; `after` is `next` of the page before. */
  classes(page: ClassPage & ReadOptions = {}): Promise<contract.ClassListResponse> {
    const { kind, limit, after, signal } = page;
    return this.sender.send('/classes', {
      query: { kind, limit, after },
      headers: revisionOf(page),
      signal,
    });
  }

  class(name: string, options: ReadOptions = {}): Promise<contract.ClassResponse> {
    return this.sender.send(pathOf(name), { headers: revisionOf(options), signal: options.signal });
  }

  /** From the answer on, pictures are recognised as it. The same content again changes nothing. */
  createClass(content: contract.NewClass, { signal }: CallOptions = {}): Promise<contract.CreatedResponse> {
    return this.sender.send('/classes', { ...json('POST', content), signal });
  }

  /** All of them or none. Hundreds may be more than the server takes in one request: see classParts. */
  createClasses(
    classes: readonly contract.NewClass[],
    { signal }: CallOptions = {},
  ): Promise<contract.CreatedManyResponse> {
    return this.sender.send('/classes', { ...json('POST', { classes }), signal });
  }

  /** What new classes would be confused with; nothing changes. */
  previewClasses(
    classes: readonly contract.NewClass[],
    { signal }: CallOptions = {},
  ): Promise<contract.DryRunResponse> {
    return this.sender.send('/classes', { ...json('POST', { classes }), query: { dryRun: true }, signal });
  }

  /** `etag` is the one that was read; '*' replaces whatever is there. */
  replaceClass(
    { name, attributes }: contract.NewClass,
    etag: string,
    { signal }: CallOptions = {},
  ): Promise<contract.CreatedResponse> {
    return this.sender.send(pathOf(name), { ...json('PUT', { attributes }, { 'if-match': etag }), signal });
  }

  async removeClass(name: string, etag: string, { signal }: CallOptions = {}): Promise<void> {
    await this.sender.send(pathOf(name), { method: 'DELETE', headers: { 'if-match': etag }, signal });
  }

  /** Whether pictures may be sent; the reasons say why not, or what else does not work; `serving` says what is at work. */
  async ready({ signal }: CallOptions = {}): Promise<Readiness> {
    const answer = await this.sender.send<contract.ReadinessResponse>('/readyz', { signal, accept: [503] });
    const { status, reasons, serving } = answer;
    return { ready: status !== 'unavailable', reasons, serving };
  }
}

function pathOf(name: string): string {
  return `/classes/${encodeURIComponent(name)}`;
}

function revisionOf({ atLeastRevision }: ReadOptions): Record<string, string> {
  return atLeastRevision === undefined ? {} : { 'if-registry-revision': String(atLeastRevision) };
}

function json(method: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Call {
  return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function queryOf({ topK, explain, unseenBias }: ClassifyOptions) {
  return { topK, explain, unseenBias };
}
