/** Which test pictures a report shows: the wrong ones, and the most typical and the hardest of each class. */

/** A test row, as the model answers it among all classes. */
export interface AnsweredRow {
  readonly row: number; // of the dataset
  readonly label: number;
  readonly answer: string;
  readonly answerProbability: number;
  readonly ownProbability: number; // of its own class
  readonly isRight: boolean;
}

interface RankedRows {
  readonly label: number;
  readonly rows: number;
  readonly wrongRows: number;
  readonly wrong: readonly AnsweredRow[]; // the most confident mistakes first
  readonly typical: readonly AnsweredRow[]; // right, the most probable first
  readonly hardest: readonly AnsweredRow[]; // right, the least probable first; none that is typical
}

const maxWrongOverall = 24;
const maxWrongOfClass = 6;
const maxTypical = 3;
const maxHardest = 3;

/** Of all classes: the most confident mistakes. */
export function mostConfidentMistakes(rows: readonly AnsweredRow[]): AnsweredRow[] {
  return mistakes(rows).slice(0, maxWrongOverall);
}

/** Classes with the largest share of mistakes first. */
export function rankByClass(rows: readonly AnsweredRow[]): RankedRows[] {
  const byClass = new Map<number, AnsweredRow[]>();
  for (const row of rows) byClass.set(row.label, [...(byClass.get(row.label) ?? []), row]);
  return [...byClass]
    .map(([label, own]) => {
      const wrong = mistakes(own);
      const right = own
        .filter(({ isRight }) => isRight)
        .sort((a, b) => b.ownProbability - a.ownProbability || a.row - b.row);
      const typical = right.slice(0, maxTypical);
      return {
        label,
        rows: own.length,
        wrongRows: wrong.length,
        wrong: wrong.slice(0, maxWrongOfClass),
        typical,
        hardest: right.slice(typical.length).reverse().slice(0, maxHardest),
      };
    })
    .sort((a, b) => b.wrongRows / b.rows - a.wrongRows / a.rows || a.label - b.label);
}

function mistakes(rows: readonly AnsweredRow[]): AnsweredRow[] {
  return rows
    .filter(({ isRight }) => !isRight)
    .sort((a, b) => b.answerProbability - a.answerProbability || a.row - b.row);
}
