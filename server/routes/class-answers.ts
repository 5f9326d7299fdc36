/** What the routes of /classes answer. */
import type { Request } from 'express';
import type { ChangeResult, Classes, FilledAttributes, KnownClass } from '../classes/contract.js';
import type { ClassVersion, RemovedClass } from '../classes/store/contract.js';
import { listQuerySchema } from '../contract/class-schemas.js';
import { validate } from '../http/validate.js';
import type { Candidate } from './class-candidates.js';
import type { StoredAnswer } from './idempotency.js';

type Filled = FilledAttributes | null;

export function oneAnswer(
  { outcomes, revision }: ChangeResult,
  { warnings }: Candidate,
  filled: Filled = null,
): StoredAnswer {
  const [{ kind, known }] = outcomes;
  return {
    status: kind === 'created' ? 201 : 200,
    headers: {
      ETag: quoted(known.etag),
      Location: `/classes/${encodeURIComponent(known.name)}`,
      'Registry-Revision': String(revision),
    },
    body: { ...shownClass(known, warnings, filled), registryRevision: revision },
  };
}

export function manyAnswer(
  { outcomes, revision }: ChangeResult,
  candidates: readonly Candidate[],
  filled: readonly Filled[],
): StoredAnswer {
  return {
    status: outcomes.some(({ kind }) => kind === 'created') ? 201 : 200,
    headers: { 'Registry-Revision': String(revision) },
    body: {
      classes: outcomes.map(({ kind, known }, i) => ({
        ...shownClass(known, candidates[i].warnings, filled[i]),
        outcome: kind,
      })),
      registryRevision: revision,
    },
  };
}

export async function pageOfClasses(request: Request, classes: Classes) {
  const { kind, limit, after, attributes } = validate(listQuerySchema, request.query, 'query');
  const ofKind = classes.list().filter(({ seen, runtime }) => {
    if (kind === undefined) return true;
    return kind === 'runtime' ? runtime : kind === 'seen' ? seen : !seen;
  });
  const start = after === undefined ? 0 : ofKind.findIndex(({ name }) => name > after);
  const shown = start < 0 ? [] : ofKind.slice(start, start + limit);
  const isMore = start >= 0 && start + limit < ofKind.length;
  const filled = attributes ? await classes.filled(shown.map(({ name }) => name)) : [];
  return {
    classes: shown.map((known, i) => ({
      ...shownClass(known, [], filled[i]),
      ...(!attributes && { attributes: undefined }),
    })),
    total: ofKind.length,
    ...(isMore && { next: shown.at(-1)!.name }),
    registryRevision: classes.revision,
  };
}

export function shownClass(known: KnownClass, warnings: readonly string[] = [], filled: Filled = null) {
  const { createdAt, updatedAt, trainedExamples = 0, ...rest } = known;
  const { unusableExamples = 0 } = known;
  const all = unusableExamples > 0 ? [...warnings, unusableWarning(unusableExamples)] : warnings;
  return {
    ...rest,
    ...filled,
    restsOn: {
      training: known.seen,
      attributes: Object.keys(known.attributes).length,
      pictures: trainedExamples + known.examples - unusableExamples,
    },
    ...(createdAt !== undefined && { createdAt: new Date(createdAt).toISOString() }),
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(all.length > 0 && { warnings: all }),
  };
}

/** What to do about examples of another network. */
export function unusableWarning(count: number): string {
  return `${count} example pictures cannot be used, because another network made their features: add them again, and remove the old ones`;
}

/** `ofModel`: the model has the class itself; only its pictures come and go, and a removal is of the last of them. */
export function shownVersion(
  { content, at, ...version }: ClassVersion,
  { ofModel, isNewest }: { readonly ofModel: boolean; readonly isNewest: boolean },
) {
  const { attributes, etag, examples = 0, own } = content ?? {};
  const shown = { ...version, at: new Date(at).toISOString(), removed: content === null };
  if (ofModel && (own || content === null)) {
    const current = version.current || (content === null && isNewest);
    return { ...shown, removed: false, examples, current };
  }
  return content === null ? shown : { ...shown, attributes, etag, examples };
}

export function shownRemoved({ at, ...one }: RemovedClass, keptMilliseconds: number) {
  const removedAt = new Date(at).toISOString();
  return { ...one, removedAt, keptUntil: new Date(at + keptMilliseconds).toISOString() };
}

export const quoted = (etag: string): string => `"${etag}"`;
