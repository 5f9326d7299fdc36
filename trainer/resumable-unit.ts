/**
 * One unit of a training run that is worth keeping: the final model of a seed, or one validation fold of one candidate.
 * A unit that was finished before an interruption is not run again: its result is read back and its log lines are
 * written again, so that the log of a resumed run equals that of a run without interruption. An unfinished unit resumes
 * from the checkpoints of its generators, which are deleted once the result is stored.
 */
import type { CheckpointStore } from './generator/checkpoint.js';
import type { LogEntry, WorkDirectory } from './work-directory.js';

/** What a unit gets to work with while it runs. */
export interface UnitContext {
  /** Where each member of the ensemble keeps its training state. */
  readonly checkpoints: (member: number) => CheckpointStore;
  /** Writes a line to the training log, and keeps it for replay. */
  readonly log: (entry: LogEntry) => void;
}

interface StoredUnit<Result> {
  readonly result: Result;
  readonly log: readonly LogEntry[];
}

/** `Result` must survive JSON. With `rerun`, a stored result is ignored; the checkpoints are used all the same. */
export async function runResumableUnit<Result>(
  work: WorkDirectory,
  name: string,
  run: (context: UnitContext) => Promise<Result>,
  { rerun = false } = {},
): Promise<Result> {
  const stored = rerun ? undefined : storedUnit<Result>(work, name);
  if (stored) {
    for (const entry of stored.log) work.log(entry);
    return stored.result;
  }
  const log: LogEntry[] = [];
  const checkpoints = new Map<number, CheckpointStore>();
  const result = await run({
    checkpoints: (member) => {
      const store = checkpoints.get(member) ?? work.checkpoints(name, member);
      checkpoints.set(member, store);
      return store;
    },
    log: (entry) => {
      log.push(entry);
      work.log(entry);
    },
  });
  work.saveResult(name, { result, log } satisfies StoredUnit<Result>);
  for (const store of checkpoints.values()) await store.clear();
  return result;
}

/** Undefined also for a file of an older release, which stored results in another form. */
function storedUnit<Result>(work: WorkDirectory, name: string): StoredUnit<Result> | undefined {
  const stored = work.result(name) as Partial<StoredUnit<Result>> | undefined;
  return stored?.result !== undefined && stored.log ? (stored as StoredUnit<Result>) : undefined;
}
