/** Forgets what is past its time: inside a commit, or from time to time when nothing is changed. */
import type { Query } from './database.js';

/** How much longer rows of a bundle are kept than anything else, after their last change: a month by default. */
const bundleFactor = 30;

export interface Retention {
  readonly milliseconds: number;
  /** Of versions of classes, since they were replaced or removed. */
  readonly versionMilliseconds: number;
}

export async function prune(query: Query, now: number, retention: Retention): Promise<void> {
  const before = now - retention.milliseconds;
  const versionsBefore = now - retention.versionMilliseconds;
  await query('DELETE FROM versions WHERE archived_at <= ?', [versionsBefore]);
  // Those that were undone or replaced so long ago, and that no reader has to be told of any more.
  await query(
    `DELETE FROM adaptations WHERE (undone_at < ? OR EXISTS (SELECT 1 FROM adaptations newer
       WHERE newer.bundle = adaptations.bundle AND newer.revision > adaptations.revision
         AND newer.undone_revision IS NULL AND newer.made_at < ?))
     AND rows_revision <= (SELECT MIN(revision) FROM commits)`,
    [versionsBefore, versionsBefore],
  );
  await query('DELETE FROM remembered WHERE made_at < ?', [before]);
  // The revision that was the newest at that time stays: a reader who was in step then can still catch up.
  await query('DELETE FROM commits WHERE revision < (SELECT MAX(revision) FROM commits WHERE made_at < ?)', [
    before,
  ]);
  // Nobody catches up from before the oldest commit that is left, so nobody needs older removals.
  await query('DELETE FROM removals WHERE revision <= (SELECT MIN(revision) FROM commits)');
  await query(
    'DELETE FROM class_groups WHERE classes IS NULL AND revision <= (SELECT MIN(revision) FROM commits)',
  );
  // Features of pictures stay as long as a version that had them may be restored; the empty row, until every reader knows that it is gone.
  await query('UPDATE examples SET features = ? WHERE removed_at <= ? AND LENGTH(features) > 0', [
    new Uint8Array(),
    versionsBefore,
  ]);
  await query(
    'DELETE FROM examples WHERE removed_at <= ? AND removed_revision <= (SELECT MIN(revision) FROM commits)',
    [versionsBefore],
  );
  // Every new bundle leaves the rows of the one before it behind. Should that one come back, it refits them.
  const bundlesBefore = now - bundleFactor * retention.milliseconds;
  for (const table of ['fitted_rows', 'base_rows', 'adaptations'])
    await query(`DELETE FROM ${table} WHERE bundle IN (SELECT identity FROM bundles WHERE used_at < ?)`, [
      bundlesBefore,
    ]);
  await query('DELETE FROM bundles WHERE used_at < ?', [bundlesBefore]);
}
