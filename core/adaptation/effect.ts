/** What other head rows would do: which pictures they answer differently, and how many rows of seen classes they still get right. */
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { headRows } from '../head/feature-map.js';
import type { HeadTable } from '../head/head-table.js';
import { Scorer } from '../head/scorer.js';
import { unseenBiasFor } from '../head/unseen-bias.js';
import { matrix, piecesOf, rowOf, type Matrix } from '../matrix.js';

const rowsAtOnce = 512;

export class HeadAnswers {
  private constructor(
    private readonly manifest: Bundle['manifest'],
    private readonly scorer: Scorer,
  ) {}

  static async open({ manifest }: Bundle, options: SessionOptions = {}): Promise<HeadAnswers> {
    return new HeadAnswers(manifest, await Scorer.open(options));
  }

  /** The likeliest class of each mapped row, as the head is served. */
  async answers(table: HeadTable, mapped: Matrix): Promise<string[]> {
    const { head } = this.manifest;
    const bias = unseenBiasFor(head, table.unseenCount);
    const answers: string[] = [];
    for (const piece of piecesOf(mapped, rowsAtOnce)) {
      const entering = headRows(matrix(piece.rows, piece.columns, piece.data.slice()), head.temperature);
      const scores = await this.scorer.score(table.head, entering); // (n, C)
      for (let i = 0; i < piece.rows; i++) answers.push(bestOf(table, rowOf(scores, i), bias));
    }
    return answers;
  }

  release(): Promise<void> {
    return this.scorer.release();
  }
}

/** In the order of the names, as core/head/classifier.ts decides ties. */
function bestOf(
  { unseenShares, placesByName, classes }: HeadTable,
  scores: Float32Array,
  bias: number,
): string {
  let best = placesByName[0];
  let max = -Infinity;
  for (let i = 0; i < placesByName.length; i++) {
    const place = placesByName[i];
    const score = scores[place] + unseenShares[place] * bias;
    if (score <= max) continue;
    max = score;
    best = place;
  }
  return classes[best].name;
}
