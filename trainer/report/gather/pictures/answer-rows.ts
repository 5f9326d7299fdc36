/** How the saved model answers test rows, and why: by the classifier that a server would answer with. */
import { listInWords, wordsOf } from '../../../../core/head/attribute-words.js';
import { Classifier, type ClassificationOptions } from '../../../../core/head/classifier.js';
import { takeRows } from '../../../../core/matrix.js';
import type { Watcher } from '../../../../core/progress.js';
import { stopIfAsked } from '../../../../core/stop.js';
import type { ReportContext } from '../report-context.js';
import type { AnsweredRow } from './rank-rows.js';

const rowsAtOnce = 512;
const maxNamed = 3; // attributes in a reason
const nothingRead = 'Nothing that can be read from it speaks for or against.';

export class RowAnswers {
  private constructor(
    private readonly context: ReportContext,
    private readonly classifier: Classifier,
    private readonly watcher: Watcher,
  ) {}

  static async open(context: ReportContext, watcher: Watcher): Promise<RowAnswers> {
    return new RowAnswers(context, await Classifier.open(context.bundle), watcher);
  }

  async ofTestRows(): Promise<AnsweredRow[]> {
    const { dataset, testRows, unseenBias, bundle } = this.context;
    const { classNames, labels } = dataset;
    // A bundle may know more classes than the dataset: those do not compete in the figures either.
    const mayAnswer = bundle.manifest.classes.length > classNames.length && { classes: classNames };
    const found: AnsweredRow[] = [];
    for (let start = 0; start < testRows.length; start += rowsAtOnce) {
      stopIfAsked(this.watcher.signal);
      const rows = testRows.subarray(start, start + rowsAtOnce);
      const options = Array.from(rows, (row) => ({
        topK: 1,
        unseenBias,
        scoresOf: [classNames[labels[row]]],
        ...(mayAnswer && { mayAnswer }),
      }));
      const answers = await this.classifier.classify(takeRows(dataset.features, rows), options);
      answers.forEach(({ predictions: [best], scores }, i) => {
        const own = classNames[labels[rows[i]]];
        found.push({
          row: rows[i],
          label: labels[rows[i]],
          answer: best.class,
          answerProbability: best.probability,
          ownProbability: scores?.[0].probability ?? 0,
          isRight: best.class === own,
        });
      });
    }
    return found;
  }

  /** What speaks for the answer and, where it is wrong, what speaks against the row's own class. */
  async reasons(rows: readonly AnsweredRow[]): Promise<Map<number, string>> {
    const { dataset } = this.context;
    const reasons = new Map<number, string>();
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      stopIfAsked(this.watcher.signal);
      const some = rows.slice(start, start + rowsAtOnce);
      const names = some.map(({ answer, label, isRight }) =>
        isRight ? [answer] : [answer, dataset.classNames[label]],
      );
      const options = names.map((classes): ClassificationOptions => ({
        topK: 2,
        mayAnswer: { classes },
        explain: true,
      }));
      const features = takeRows(
        dataset.features,
        some.map(({ row }) => row),
      );
      const answers = await this.classifier.classify(features, options);
      answers.forEach(({ explanation }, i) => {
        const { answer, isRight, label, row } = some[i];
        const about = (name: string) => explanation?.classes.find((each) => each.class === name);
        const own = dataset.classNames[label];
        const parts = [
          inWords(`Looks like ${answer} in`, about(answer)?.for),
          isRight
            ? inWords('Unlike it in', about(answer)?.against)
            : inWords(`Unlike ${own} in`, about(own)?.against),
        ];
        reasons.set(row, parts.filter((part) => part !== '').join(' ') || nothingRead);
      });
    }
    return reasons;
  }

  release(): Promise<void> {
    return this.classifier.release();
  }
}

/** The attributes that say most; '' for none. */
function inWords(start: string, evidence: readonly { readonly attribute: string }[] = []): string {
  if (evidence.length === 0) return '';
  const named = evidence.slice(0, maxNamed).map(({ attribute }) => wordsOf(attribute));
  return `${start} ${listInWords(named)}.`;
}
