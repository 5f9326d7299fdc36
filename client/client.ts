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
  /** The novelty from which the verdict is `unknown`, instead of the server's own. */
  readonly unknownAt?: number | undefined;
  /** Only these may answer, and classes of `groups`; probabilities are over them alone. */
  readonly classes?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  /** Less likely classes are left out; none may be left. */
  readonly minProbability?: number | undefined;
  /** Classes whose probability is answered however unlikely they are. */
  readonly scoresOf?: readonly string[] | undefined;
  /** A family of groups, over each of which probabilities are summed. */
  readonly groupBy?: string | undefined;
}

export interface GroupPage {
  readonly family?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  /** Also answer the names of the classes in each group. */
  readonly classes?: boolean | undefined;
}

export interface PutGroupOptions extends CallOptions {
  /** Needed where the group exists with other classes: the ETag that was read; '*' replaces whatever is there. */
  readonly etag?: string | undefined;
}

export interface ClassPage {
  readonly kind?: 'seen' | 'unseen' | 'runtime' | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  /** Also answer the attributes of each class. */
  readonly attributes?: boolean | undefined;
}

export interface VersionPage {
  readonly limit?: number | undefined;
  /** Only versions with a smaller number. */
  readonly before?: number | undefined;
}

export interface RemovedPage {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export interface RestoreOptions extends CallOptions {
  /** Needed where the class exists: the ETag that was read; '*' replaces whatever is there. */
  readonly etag?: string | undefined;
}

export interface ImportOptions extends CallOptions {
  /** Change nothing; answer what would happen and what does not fit. */
  readonly dryRun?: boolean | undefined;
  /** Replace classes that exist with other attributes. */
  readonly replace?: boolean | undefined;
  /**
   * Leave out what does not fit the model: examples of classes that another model had itself, such members of groups, and the
   * attributes of classes that the model has itself, which keep their own and get the pictures.
   */
  readonly leaveOut?: boolean | undefined;
}

export interface Readiness extends Pick<contract.ReadinessResponse, 'reasons' | 'serving'> {
  readonly ready: boolean;
}

export interface NamedPicture {
  readonly name?: string | undefined;
  readonly picture: Picture;
}

export interface AdaptOptions extends CallOptions {
  /** Learning from many pictures takes minutes; 600 when not given. */
  readonly timeoutSeconds?: number | undefined;
}

const adaptSeconds = 600;

export interface WithPictures {
  /** Examples of the class, which are stored with it. */
  readonly pictures?: readonly (Picture | NamedPicture)[] | undefined;
}

/** A client of an Unseen server. Every error response is thrown as an UnseenProblem. */
export class UnseenClient {
  private readonly sender: Sender;

  constructor(options: UnseenClientOptions) {
    this.sender = new Sender(options);
  }

  /** `type` (image/jpeg, image/png, image/webp) is detected from the bytes when not given. */
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
   * Several in one request, answered in their order; one that cannot be used has a `problem` and does not affect the others.
   * (A single one is rejected as by `classify`.)
   */
  async classifyMany(
    pictures: readonly (Picture | NamedPicture)[],
    options: ClassifyOptions = {},
  ): Promise<contract.ClassifyManyResponse> {
    const { form, names } = await formOf(pictures);
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
    const { model, registryRevision, requestId, ...own } = answer; // the server answers a single picture in its own shape
    return { pictures: [{ name: names[0], ...own }], model, registryRevision, requestId };
  }

  /** What an attribute vector must hold, and the range of `unseenBias`. */
  attributes({ signal }: CallOptions = {}): Promise<contract.AttributesResponse> {
    return this.sender.send('/attributes', { signal });
  }

  /** One page of the classes that compete; `after` is `next` of the page before. */
  classes(page: ClassPage & ReadOptions = {}): Promise<contract.ClassListResponse> {
    const { kind, limit, after, attributes, signal } = page;
    return this.sender.send('/classes', {
      query: { kind, limit, after, attributes },
      headers: revisionOf(page),
      signal,
    });
  }

  class(name: string, options: ReadOptions = {}): Promise<contract.ClassResponse> {
    return this.sender.send(pathOf(name), { headers: revisionOf(options), signal: options.signal });
  }

  /** Pictures are recognised as the new class from the response on. Repeating the call with the same content changes nothing. */
  async createClass(
    content: contract.NewClass,
    { pictures = [], signal }: CallOptions & WithPictures = {},
  ): Promise<contract.CreatedResponse> {
    if (pictures.length === 0) return this.sender.send('/classes', { ...json('POST', content), signal });
    const { form: body } = await formOf(pictures, content);
    return this.sender.send('/classes', { method: 'POST', body, signal });
  }

  /**
   * Pictures of a class, all of them or none; one that it has already is not added again. With `dryRun` nothing changes, and `preview` says
   * what the class would be confused with.
   */
  async addExamples(
    name: string,
    pictures: readonly (Picture | NamedPicture)[],
    { dryRun, signal }: CallOptions & { readonly dryRun?: boolean | undefined } = {},
  ): Promise<contract.AddedExamplesResponse> {
    const { form: body } = await formOf(pictures);
    const query = { dryRun };
    return this.sender.send(`${pathOf(name)}/examples`, { method: 'POST', query, body, signal });
  }

  /** The stored features of the examples of a class, for a backup; needs an admin key. `after` is `next` of the answer before. */
  storedExamples(
    name: string,
    { limit, after, signal }: CallOptions & Pick<ClassPage, 'limit' | 'after'> = {},
  ): Promise<contract.StoredExamplesResponse> {
    return this.sender.send('/admin/examples', { query: { class: name, limit, after }, signal });
  }

  /** When each was added and by whom; neither pictures nor features. */
  listExamples(name: string, options: ReadOptions = {}): Promise<contract.ExampleListResponse> {
    const { signal } = options;
    return this.sender.send(`${pathOf(name)}/examples`, { headers: revisionOf(options), signal });
  }

  /** One by its id; without an id, all of them. */
  async removeExamples(name: string, id?: string, { signal }: CallOptions = {}): Promise<void> {
    const path = `${pathOf(name)}/examples${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
    await this.sender.send(path, { method: 'DELETE', signal });
  }

  /** All of them or none. Hundreds may exceed what the server accepts in one request: see classParts. */
  createClasses(
    classes: readonly contract.NewClass[],
    { signal }: CallOptions = {},
  ): Promise<contract.CreatedManyResponse> {
    return this.sender.send('/classes', { ...json('POST', { classes }), signal });
  }

  /** The same of one class with pictures of it: `filled` is what is read from them, as a draft of its attributes. */
  async previewClass(
    content: contract.NewClass,
    { pictures = [], signal }: CallOptions & WithPictures = {},
  ): Promise<contract.DryRunResponse> {
    if (pictures.length === 0) return this.previewClasses([content], { signal });
    const { form: body } = await formOf(pictures, content);
    return this.sender.send('/classes', { method: 'POST', query: { dryRun: true }, body, signal });
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
    { name, attributes = {}, like }: contract.NewClass,
    etag: string,
    { signal }: CallOptions = {},
  ): Promise<contract.CreatedResponse> {
    return this.sender.send(pathOf(name), {
      ...json('PUT', { attributes, like }, { 'if-match': etag }),
      signal,
    });
  }

  async removeClass(name: string, etag: string, { signal }: CallOptions = {}): Promise<void> {
    await this.sender.send(pathOf(name), { method: 'DELETE', headers: { 'if-match': etag }, signal });
  }

  /** What a class was after each change, newest first; also of one that was removed. */
  versions(name: string, page: VersionPage & ReadOptions = {}): Promise<contract.VersionListResponse> {
    const { limit, before, signal } = page;
    const query = { limit, before };
    return this.sender.send(`${pathOf(name)}/versions`, { query, headers: revisionOf(page), signal });
  }

  /** One page of the classes that were removed and can be restored, by name; `after` is `next` of the page before. */
  removedClasses(page: RemovedPage & ReadOptions = {}): Promise<contract.RemovedListResponse> {
    const { limit, after, signal } = page;
    return this.sender.send('/removed-classes', {
      query: { limit, after },
      headers: revisionOf(page),
      signal,
    });
  }

  /** Gives a class the attributes and examples that it had in that version; also one that was removed. */
  restoreVersion(
    name: string,
    version: number,
    { etag, signal }: RestoreOptions = {},
  ): Promise<contract.CreatedResponse> {
    const headers = etag === undefined ? {} : { 'if-match': etag };
    const path = `${pathOf(name)}/versions/${version}/restore`;
    return this.sender.send(path, { method: 'POST', headers, signal });
  }

  /** One page of the groups of classes; `after` is `next` of the page before. */
  groups(page: GroupPage & ReadOptions = {}): Promise<contract.GroupListResponse> {
    const { family, limit, after, classes, signal } = page;
    const query = { family, limit, after, classes };
    return this.sender.send('/groups', { query, headers: revisionOf(page), signal });
  }

  group(name: string, options: ReadOptions = {}): Promise<contract.GroupResponse> {
    return this.sender.send(pathOf(name, 'groups'), {
      headers: revisionOf(options),
      signal: options.signal,
    });
  }

  /** Creates the group, or replaces what is there. Repeating the call with the same content changes nothing. */
  putGroup(
    name: string,
    content: contract.GroupContent,
    { etag, signal }: PutGroupOptions = {},
  ): Promise<contract.StoredGroupResponse> {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': etag };
    return this.sender.send(pathOf(name, 'groups'), { ...json('PUT', content, headers), signal });
  }

  /** Its classes stay. */
  async removeGroup(name: string, etag: string, { signal }: CallOptions = {}): Promise<void> {
    const headers = { 'if-match': etag };
    await this.sender.send(pathOf(name, 'groups'), { method: 'DELETE', headers, signal });
  }

  /** All classes of a backup or none. A large backup goes in parts: see classParts. */
  importClasses(
    backup: contract.ClassBackup,
    { signal, ...query }: ImportOptions = {},
  ): Promise<contract.ImportedResponse> {
    return this.sender.send('/admin/import', { ...json('POST', backup), query, signal });
  }

  /** Which stored classes the bundle could not use that a reload would load; nothing changes. */
  previewReload({ signal }: CallOptions = {}): Promise<contract.ReloadPreviewResponse> {
    return this.sender.send('/admin/reload', { method: 'POST', query: { dryRun: true }, signal });
  }

  /** Reads the bundle again from where the server was told; when it cannot be used, the one before keeps serving. */
  reload({ signal }: CallOptions = {}): Promise<contract.ReloadResponse> {
    return this.sender.send('/admin/reload', { method: 'POST', signal });
  }

  /** Pools of unlabelled pictures: `traffic` is the sample of classified ones. */
  pools({ signal }: CallOptions = {}): Promise<contract.PoolListResponse> {
    return this.sender.send('/pools', { signal });
  }

  pool(name: string, { signal }: CallOptions = {}): Promise<contract.PoolDetailResponse> {
    return this.sender.send(`/pools/${encodeURIComponent(name)}`, { signal });
  }

  /** Unlabelled pictures, all of them or none; the server takes some at a time. One that is there already is not added again. */
  async addToPool(
    name: string,
    pictures: readonly (Picture | NamedPicture)[],
    { signal }: CallOptions = {},
  ): Promise<contract.PooledResponse> {
    const { form: body } = await formOf(pictures);
    return this.sender.send(`/pools/${encodeURIComponent(name)}`, { method: 'POST', body, signal });
  }

  /** Forgets what is in a pool; adaptations that were learnt from it stay. */
  async removePool(name: string, { signal }: CallOptions = {}): Promise<void> {
    await this.sender.send(`/pools/${encodeURIComponent(name)}`, { method: 'DELETE', signal });
  }

  /** Classes that seem to be missing: groups of pictures of a pool that are of none of the known ones. Nothing changes. */
  discover(pool = 'traffic', options: AdaptOptions = {}): Promise<contract.DiscoveryResponse> {
    const { signal, timeoutSeconds = adaptSeconds } = options;
    return this.sender.send(`/pools/${encodeURIComponent(pool)}/discover`, {
      method: 'POST',
      signal,
      timeoutSeconds,
    });
  }

  /** A class with pictures of a pool as its examples, by their ids. */
  createClassOfPool(
    pool: string,
    content: contract.ClassOfPool,
    { signal }: CallOptions = {},
  ): Promise<contract.CreatedResponse> {
    return this.sender.send(`/pools/${encodeURIComponent(pool)}/classes`, {
      ...json('POST', content),
      signal,
    });
  }

  /** What learning from a pool would change; nothing changes. */
  previewAdaptation(
    pool = 'traffic',
    options: AdaptOptions = {},
  ): Promise<contract.DryRunAdaptationResponse> {
    const { signal, timeoutSeconds = adaptSeconds } = options;
    const query = { dryRun: true };
    return this.sender.send('/adaptations', { ...json('POST', { pool }), query, signal, timeoutSeconds });
  }

  /** Moves classes to where the pictures of a pool say that they are. The same pictures again change nothing. */
  adapt(pool = 'traffic', options: AdaptOptions = {}): Promise<contract.AdaptationResponse> {
    const { signal, timeoutSeconds = adaptSeconds } = options;
    return this.sender.send('/adaptations', { ...json('POST', { pool }), signal, timeoutSeconds });
  }

  /** Newest first; also what was undone or replaced. */
  adaptations(options: ReadOptions = {}): Promise<contract.AdaptationListResponse> {
    return this.sender.send('/adaptations', { headers: revisionOf(options), signal: options.signal });
  }

  adaptation(id: string, options: ReadOptions = {}): Promise<contract.AdaptationResponse> {
    const headers = revisionOf(options);
    return this.sender.send(`/adaptations/${encodeURIComponent(id)}`, { headers, signal: options.signal });
  }

  /** Goes back to what was before the adaptation in force. */
  async undoAdaptation(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.sender.send(`/adaptations/${encodeURIComponent(id)}`, { method: 'DELETE', signal });
  }

  /** Whether pictures may be sent; `reasons` lists what does not work, `serving` describes the model and its workers. */
  async ready({ signal }: CallOptions = {}): Promise<Readiness> {
    const answer = await this.sender.send<contract.ReadinessResponse>('/readyz', { signal, accept: [503] });
    const { status, reasons, serving } = answer;
    return { ready: status !== 'unavailable', reasons, serving };
  }
}

async function formOf(pictures: readonly (Picture | NamedPicture)[], described?: contract.NewClass) {
  const form = new FormData();
  if (described) form.append('class', JSON.stringify(described));
  const names: string[] = [];
  for (const given of pictures) {
    const { name = `picture ${names.length + 1}`, picture } = 'picture' in given ? given : { picture: given };
    names.push(name);
    form.append('image', await asBlob(picture), name);
  }
  return { form, names };
}

function pathOf(name: string, kind: 'classes' | 'groups' = 'classes'): string {
  // Dots are resolved as parts of an address, even percent-encoded; encoded twice they arrive at the server.
  const encoded = /^\.{1,2}$/.test(name) ? name.replaceAll('.', '%252E') : encodeURIComponent(name);
  return `/${kind}/${encoded}`;
}

function revisionOf({ atLeastRevision }: ReadOptions): Record<string, string> {
  return atLeastRevision === undefined ? {} : { 'if-registry-revision': String(atLeastRevision) };
}

function json(method: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Call {
  return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function queryOf(options: ClassifyOptions) {
  const { topK, explain, unseenBias, classes, groups, minProbability, scoresOf, groupBy, unknownAt } =
    options;
  return { topK, explain, unseenBias, classes, group: groups, minProbability, scoresOf, groupBy, unknownAt };
}
