/**
 * Learning from unlabelled pictures, for the model that serves. A process of its own finds what a pool says of the classes;
 * the rows that follow from it are committed as a layer over those that were fitted. Every adaptation starts from what lies below
 * that layer, so that mistakes of one do not become the evidence of the next; the newest one is in force.
 */
import { randomUUID } from 'node:crypto';
import { minToSearch } from '../../core/discovery/discover-classes.js';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import { limiter } from '../../core/limiter.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type { KnownClass } from '../classes/contract.js';
import type { FittingProcess } from '../classes/fitting/fitting-process.js';
import type { AdaptedRows } from '../classes/fitting/protocol.js';
import { weightsToBytes } from '../classes/store/content.js';
import type {
  AdaptationChange,
  ClassStore,
  NamedRow,
  Remembered,
  StoredAdaptation,
} from '../classes/store/contract.js';
import { hourMilliseconds, trafficPool } from '../classes/store/pools.js';
import type {
  AdaptationOutcome,
  AdaptationReport,
  Adaptations,
  CommittedAdaptation,
  KnownPool,
  PoolDiscovery,
  PoolPicture,
  RepeatableRequest,
  UndoneAdaptation,
} from './contract.js';
import { RequestsUnderWay } from './requests-under-way.js';
import { reportOf, type PooledPicture } from './report.js';

/** So few say nothing: what chance makes of them is as large as what they could teach. */
const tooFewPictures = 100;
/** Adaptations that wait for the one under way, at most. */
const maxWaiting = 4;
/** Rows of classes in one message to the fitting process. */
const classesPerMessage = 256;

type PoolFitting = Pick<FittingProcess, 'addPool' | 'addServed' | 'adapt' | 'discover' | 'close'>;

/** What it needs of the registry. */
interface AdaptationTarget {
  readonly bundle: string;
  readonly backbone: string;
  readonly store: ClassStore;
  newFitting(): PoolFitting;
  readonly classes: {
    readonly revision: number;
    get(name: string): KnownClass | undefined;
    head(): HeadChange;
  };
  /** Commits what `draft` makes of the registry as it then is, if anything, with the answer for a repeat of the request. */
  commit(
    draft: () => Promise<AdaptationChange | null>,
    remember?: Remembered,
  ): Promise<{ readonly revision: number; readonly isCommitted: boolean }>;
}

interface Computed {
  readonly report: AdaptationReport;
  readonly rows: readonly NamedRow[];
  /** Of the registry, when it was computed. */
  readonly revision: number;
}

interface Asked<T> {
  readonly answer: T;
  /** In the order of the rows that were asked about. */
  readonly pictures: readonly PooledPicture[];
  /** Of the registry, when it was asked. */
  readonly revision: number;
}

export class ModelAdaptations implements Adaptations {
  private readonly inTurn = limiter(1);
  private readonly underWay = new RequestsUnderWay<AdaptationOutcome>();
  private waiting = 0;
  private fitting: Pick<FittingProcess, 'close'> | null = null;
  private closed = false;

  constructor(
    private readonly target: AdaptationTarget,
    private readonly options: { readonly poolPictures: number },
  ) {}

  async preview(pool: string, signal: AbortSignal): Promise<AdaptationReport> {
    return (await this.compute(pool, signal)).report;
  }

  async adapt(pool: string, by: string | null, signal: AbortSignal): Promise<AdaptationOutcome> {
    return this.commit(await this.compute(pool, signal), by);
  }

  async adaptOnce(
    pool: string,
    by: string | null,
    request: RepeatableRequest,
    onWork?: (work: Promise<AdaptationOutcome>, isRepeated: boolean) => void,
  ): Promise<AdaptationOutcome & { readonly isRepeated: boolean }> {
    const { key } = request;
    const remembered = await this.target.store.recall(key);
    if (remembered) {
      refuseOther(request, remembered);
      const { adaptation: id } = remembered.answer as { adaptation: string };
      const adaptation = (await this.list()).find((one) => one.id === id);
      if (!adaptation) throw new Failure('not-found', `Adaptation ${id} is of another model, or forgotten.`);
      return { adaptation, isNew: true, isRepeated: true };
    }
    const running = this.underWay.find(key);
    if (running) refuseOther(request, running);
    else
      this.underWay.start(request, async (signal) =>
        this.commit(await this.compute(pool, signal), by, request),
      );
    const isRepeated = running !== undefined;
    const { outcome } = this.underWay.find(key)!;
    onWork?.(outcome, isRepeated);
    return { ...(await outcome), isRepeated };
  }

  /** Commits only what is recommended; answers the report, and whether it was committed. */
  async adaptIfRecommended(
    pool: string,
    by: string,
    signal: AbortSignal,
  ): Promise<{ readonly report: AdaptationReport; readonly outcome: AdaptationOutcome | null }> {
    const computed = await this.compute(pool, signal);
    const { report } = computed;
    return { report, outcome: report.isRecommended ? await this.commit(computed, by) : null };
  }

  async list(): Promise<CommittedAdaptation[]> {
    return (await this.target.store.adaptations(this.target.bundle)).map(committed);
  }

  async undo(id: string, by: string | null): Promise<UndoneAdaptation> {
    const { store, bundle } = this.target;
    const { revision, isCommitted } = await this.target.commit(async () => {
      const all = await store.adaptations(bundle);
      const found = all.find((one) => one.id === id);
      if (!found)
        throw new Failure('not-found', `There is no adaptation ${id}. GET /adaptations lists them.`);
      if (found.undone) return null; // it may have been asked twice
      const active = all.find(({ isActive }) => isActive)!;
      if (!found.isActive)
        throw new Failure(
          'conflict',
          `Adaptation ${id} was replaced by ${active.id}. Undo that one first: it goes back to this one.`,
        );
      return { kind: 'undo', id, by };
    });
    return { revision, isUndone: isCommitted };
  }

  async discover(pool: string, signal: AbortSignal): Promise<PoolDiscovery> {
    await this.checkEnough(pool, minToSearch - 1, 'make no group');
    const { answer, pictures } = await this.ask(pool, signal, (fitting) => fitting.discover());
    const idsOf = (rows: readonly number[]): string[] => rows.map((row) => pictures[row].id);
    return {
      pictures: answer.pictures,
      groups: answer.groups.map((group) => ({ ...group, members: idsOf(group.members) })),
      ungrouped: idsOf(answer.ungrouped),
    };
  }

  async picturesOf(pool: string, ids: readonly string[]): Promise<PoolPicture[]> {
    const found = await this.target.store.pools.find(this.key(pool), ids);
    const byId = new Map(found.map((row) => [row.id, row]));
    const missing = ids.filter((id) => !byId.has(id));
    if (missing.length > 0)
      throw new Failure(
        'not-found',
        `The pool "${pool}" has no picture ${missing[0]}${missing.length > 1 ? `, and ${missing.length - 1} others of these are not there either` : ''}. Pictures are forgotten after a time: look for missing classes again.`,
      );
    return [...new Set(ids)].map((id) => byId.get(id)!);
  }

  async pools(): Promise<KnownPool[]> {
    const pools = new Map<string, KnownPool>();
    for (const { pool, backbone, rows, oldest, newest } of await this.target.store.pools.list()) {
      const known = pools.get(pool) ?? { name: pool, pictures: 0, unusable: 0, oldest: null, newest: null };
      const isUsable = backbone === this.target.backbone;
      pools.set(
        pool,
        isUsable
          ? { ...known, pictures: rows, oldest, newest }
          : { ...known, unusable: known.unusable + rows },
      );
    }
    return [...pools.values()];
  }

  answered(pool: string): Promise<{ readonly answered: string; readonly rows: number }[]> {
    return this.target.store.pools.answered(this.key(pool));
  }

  async addPictures(pool: string, pictures: readonly PoolPicture[]): Promise<number> {
    const limit = this.options.poolPictures;
    const at = Date.now();
    const added = distinct(pictures).map((one) => ({ ...one, at }));
    const rows = await this.target.store.pools.add(this.key(pool), added, limit);
    if (rows === null)
      throw new Failure(
        'limit-reached',
        `Pools hold at most ${limit} pictures together (--pool-pictures). Remove one with DELETE /pools/NAME.`,
      );
    return rows;
  }

  async removePool(pool: string): Promise<number | null> {
    const known = await this.target.store.pools.list();
    return known.some((one) => one.pool === pool) ? this.target.store.pools.remove(pool) : null;
  }

  close(): void {
    this.closed = true;
    this.fitting?.close();
  }

  private key(pool: string) {
    return { pool, backbone: this.target.backbone };
  }

  private async compute(pool: string, signal: AbortSignal): Promise<Computed> {
    await this.checkEnough(pool, tooFewPictures, 'say too little');
    const { answer, pictures, revision } = await this.ask(pool, signal, (fitting) => fitting.adapt());
    return { report: await this.report(pool, answer, pictures), rows: answer.rows, revision };
  }

  /** One question about a pool after the other, each in a process of its own. */
  private ask<T>(
    pool: string,
    signal: AbortSignal,
    question: (fitting: PoolFitting) => Promise<T>,
  ): Promise<Asked<T>> {
    if (this.waiting >= maxWaiting)
      throw new Failure('overloaded', 'Other pools are being looked at. Try again later.', {
        retryAfterSeconds: 10,
      });
    this.waiting += 1;
    return this.inTurn(() => this.askNow(pool, signal, question)).finally(() => {
      this.waiting -= 1;
    });
  }

  private async askNow<T>(
    pool: string,
    signal: AbortSignal,
    question: (fitting: PoolFitting) => Promise<T>,
  ): Promise<Asked<T>> {
    signal.throwIfAborted();
    if (this.closed) throw new Failure('draining', 'The server is stopping. Try again.');
    const fitting = this.target.newFitting();
    this.fitting = fitting;
    const stop = (): void => {
      fitting.close();
    };
    signal.addEventListener('abort', stop);
    try {
      const { revision } = this.target.classes;
      const { put } = this.target.classes.head();
      for (let start = 0; start < put.length; start += classesPerMessage)
        fitting.addServed(put.slice(start, start + classesPerMessage));
      const pictures = await this.send(pool, fitting);
      return { answer: await question(fitting), pictures, revision };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      fitting.close();
      this.fitting = null;
    }
  }

  /** The pool in parts, each of which is forgotten here once it is sent. */
  private async send(pool: string, fitting: Pick<FittingProcess, 'addPool'>): Promise<PooledPicture[]> {
    const pictures: PooledPicture[] = [];
    for await (const page of this.target.store.pools.pages(this.key(pool))) {
      const width = page[0].features.length;
      const features = new Uint16Array(page.length * width);
      page.forEach((row, i) => {
        features.set(row.features, i * width);
        pictures.push({ id: row.id, answered: row.answered, at: row.at });
      });
      fitting.addPool({ rows: page.length, features });
    }
    return pictures;
  }

  private async report(
    pool: string,
    found: AdaptedRows,
    pictures: readonly PooledPicture[],
  ): Promise<AdaptationReport> {
    const now = Date.now();
    const counts =
      pool === trafficPool
        ? await this.target.store.pools.counts(this.key(pool), now - 24 * hourMilliseconds)
        : [];
    return reportOf(pool, found, pictures, counts, now);
  }

  private async commit(
    { report, rows, revision }: Computed,
    by: string | null,
    request?: RepeatableRequest,
  ): Promise<AdaptationOutcome> {
    const { bundle, store, classes } = this.target;
    if (rows.length === 0)
      throw new Failure(
        'nothing-learnt',
        `The ${report.pictures} pictures of the pool "${report.pool}" say nothing of any class that the model does not know already. Nothing was changed.`,
      );
    let id: string = randomUUID();
    let isNew = true;
    const remember = request && { ...request, answer: { adaptation: id } };
    await this.target.commit(async () => {
      // A class that has changed since, or is gone, would lose its row with that change: the order makes no difference.
      const valid = rows.filter(({ name }) => (classes.get(name)?.revision ?? Infinity) <= revision);
      const digest = digestOf(valid);
      const active = (await store.adaptations(bundle)).find(({ isActive }) => isActive);
      isNew = active?.digest !== digest;
      if (!isNew) id = active!.id;
      return isNew ? { kind: 'adapt', id, bundle, digest, by, report, rows: valid } : null;
    }, remember);
    const adaptation = (await this.list()).find((one) => one.id === id)!;
    return { adaptation, isNew };
  }

  private async checkEnough(pool: string, tooFew: number, why: string): Promise<void> {
    const found = (await this.pools()).find(({ name }) => name === pool);
    if (!found && pool !== trafficPool)
      throw new Failure('not-found', `There is no pool "${pool}". GET /pools lists them.`);
    const { pictures = 0, unusable = 0 } = found ?? {};
    if (pictures > tooFew) return;
    const other = unusable > 0 ? ` (and ${unusable} of another network, which it cannot use)` : '';
    const remedy =
      pool === trafficPool
        ? 'Start the server with --learn-from-traffic and let it classify more'
        : `Add more with POST /pools/${encodeURIComponent(pool)}`;
    throw new Failure(
      'too-few-pictures',
      `The pool "${pool}" has ${pictures} pictures${other}, and ${tooFew} or fewer ${why}. ${remedy}.`,
    );
  }
}

function refuseOther({ requestHash }: RepeatableRequest, first: RepeatableRequest): void {
  if (requestHash !== first.requestHash)
    throw new Failure(
      'idempotency-key-reused',
      'This Idempotency-Key was used for another request before. Use a new key for a new request.',
    );
}

function committed(stored: StoredAdaptation): CommittedAdaptation {
  const { id, at, by, revision, isActive, undone, report } = stored;
  return { id, at, by, revision, isActive, undone, report: report as AdaptationReport };
}

function distinct(pictures: readonly PoolPicture[]): PoolPicture[] {
  return [...new Map(pictures.map((one) => [one.id, one])).values()];
}

function digestOf(rows: readonly NamedRow[]): string {
  const parts = [...rows]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, weights, bias }) => [JSON.stringify([name, bias]), weightsToBytes(weights)]);
  return sha256Of(...parts);
}
