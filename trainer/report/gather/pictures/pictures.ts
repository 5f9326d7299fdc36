/**
 * The pictures of a report, as thumbnails: mistakes of all classes and of each, and the most typical and the hardest pictures of each
 * class. They are taken in turns, the first of every list before the second of any, until the bytes they may take are used up.
 */
import type { Watcher } from '../../../../core/progress.js';
import { stopIfAsked } from '../../../../core/stop.js';
import type { ClassPictures, PictureFacts, PicturesOrReason } from '../../report-data.js';
import type { ReportContext } from '../report-context.js';
import { RowAnswers } from './answer-rows.js';
import { PictureFiles } from './picture-files.js';
import { mostConfidentMistakes, rankByClass, type AnsweredRow } from './rank-rows.js';
import { thumbnail } from './thumbnail.js';

export interface PictureOptions {
  /** Where the pictures are, when not where the dataset says. */
  readonly images?: string | undefined;
  /** All thumbnails together, as they are written into the file. */
  readonly maxBytes: number;
}

export async function pictures(
  context: ReportContext,
  options: PictureOptions | null,
  watcher: Watcher,
): Promise<PicturesOrReason> {
  if (options === null) return { reason: 'they were left out on request' };
  const files = new PictureFiles(context.dataset, options.images);
  const reason = files.whyNone();
  if (reason !== null) return { reason };
  const answers = await RowAnswers.open(context, watcher);
  try {
    return await gather(context, { answers, files, watcher, maxBytes: options.maxBytes });
  } finally {
    await answers.release();
  }
}

interface Parts {
  readonly answers: RowAnswers;
  readonly files: PictureFiles;
  readonly watcher: Watcher;
  readonly maxBytes: number;
}

async function gather(context: ReportContext, parts: Parts): Promise<PicturesOrReason> {
  const { answers, files } = parts;
  const { dataset } = context;
  const rows = await answers.ofTestRows();
  const overall = mostConfidentMistakes(rows);
  const classes = rankByClass(rows);
  const lists = [overall, ...classes.flatMap(({ wrong, typical, hardest }) => [wrong, typical, hardest])];
  const { shown, missing, leftOut } = await makeThumbnails(lists, parts);
  if (shown.size === 0 && missing.length > 0)
    return {
      reason: `none of the ${missing.length} that were looked for can be read, ${files.nameOf(missing[0])} the first of them; name the folder that they are in with --images`,
    };
  const reasons = await answers.reasons([...shown.keys()]);
  const seen = new Set(dataset.seen);
  const describe = (row: AnsweredRow): PictureFacts[] => {
    const source = shown.get(row);
    if (source === undefined) return [];
    return [
      {
        file: files.nameOf(row.row),
        thumbnail: source,
        answer: row.answer,
        answerProbability: row.answerProbability,
        truth: dataset.classNames[row.label],
        truthProbability: row.ownProbability,
        isRight: row.isRight,
        reason: reasons.get(row.row) ?? '',
      },
    ];
  };
  return {
    rows: rows.length,
    wrongRows: rows.filter(({ isRight }) => !isRight).length,
    missing: missing.map((row) => files.nameOf(row)),
    leftOut,
    maxBytes: parts.maxBytes,
    overall: overall.flatMap(describe),
    classes: classes.map(({ label, rows: all, wrongRows, wrong, typical, hardest }): ClassPictures => ({
      name: dataset.classNames[label],
      seen: seen.has(label),
      rows: all,
      wrongRows,
      wrong: wrong.flatMap(describe),
      typical: typical.flatMap(describe),
      hardest: hardest.flatMap(describe),
    })),
  };
}

/** Of each row once. A row that is in two lists is written into the file twice, and takes room twice. */
async function makeThumbnails(lists: readonly (readonly AnsweredRow[])[], parts: Parts) {
  const { files, watcher, maxBytes } = parts;
  const timesWanted = new Map<AnsweredRow, number>();
  for (const row of inTurns(lists)) timesWanted.set(row, (timesWanted.get(row) ?? 0) + 1);
  const progress = watcher.progress('pictures', timesWanted.size);
  const shown = new Map<AnsweredRow, string>();
  const missing: number[] = [];
  let [bytes, leftOut, done] = [0, 0, 0];
  try {
    for (const [row, times] of timesWanted) {
      stopIfAsked(watcher.signal);
      progress.update(++done);
      const file = leftOut === 0 ? await files.find(row.row) : null; // once the room is used up, nothing more is opened
      const source = file && (await thumbnail(file));
      if (leftOut > 0 || (source && bytes + times * source.length > maxBytes)) leftOut += 1;
      else if (source) {
        shown.set(row, source);
        bytes += times * source.length;
      } else missing.push(row.row);
    }
  } finally {
    progress.stop();
  }
  return { shown, missing, leftOut };
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
