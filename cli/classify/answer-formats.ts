/** A file of answers: how an outcome is written as a line, and which files the lines of an earlier run have answered. */
import { parse } from 'csv-parse/sync';
import { answerCells, answerHeader, cellText, csvLine } from '../../client/index.js';
import type { FileOutcome } from '../classification-table.js';

export interface AnswerFormat {
  /** The lines that every file begins with. */
  readonly header: string;
  line(outcome: FileOutcome): string;
  /** Null when the text begins in another way than `header`. A line that was cut off, or that reports a problem, is left out. */
  read(text: string): readonly AnsweredLine[] | null;
}

interface AnsweredLine {
  readonly file: string;
  readonly class: string;
  readonly model: string;
  readonly line: string;
}

export function csvFormat(topK: number): AnswerFormat {
  const columns = answerHeader(topK);
  const header = csvLine(columns);
  return {
    header,
    line: (outcome) => csvLine(answerCells(outcome, topK)),
    read: (text) => {
      if (!text.startsWith(header)) return null;
      // A line that a kill cut off may have an open quote; it is the last one.
      const whole = text.slice(header.length, text.lastIndexOf('\n') + 1);
      const options = { relax_column_count: true, relax_quotes: true, raw: true, skip_empty_lines: true };
      const records = parse(whole, options) as unknown as { record: string[]; raw: string }[];
      return records.flatMap(({ record, raw }) => {
        if (record.length !== columns.length || record.at(-2) !== '') return [];
        const [file, name] = record.map(cellText);
        return [{ file, class: name, model: record.at(-1)!, line: raw.endsWith('\n') ? raw : `${raw}\n` }];
      });
    },
  };
}

/** One answer of the server in each line, as --json has them. */
export const jsonLinesFormat: AnswerFormat = {
  header: '',
  line: (outcome) => `${JSON.stringify(outcome)}\n`,
  read: (text) =>
    text.split('\n').flatMap((line) => {
      if (line === '') return [];
      try {
        const outcome = JSON.parse(line) as FileOutcome;
        if ('problem' in outcome) return [];
        const { file, predictions, model } = outcome;
        return [
          {
            file,
            class: predictions[0].class,
            model: model.version,
            line: `${line}
`,
          },
        ];
      } catch {
        return []; // cut off by a kill
      }
    }),
};
