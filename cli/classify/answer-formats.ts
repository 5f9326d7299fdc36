/** A file of answers: how an outcome is written as a line, and what the lines of an earlier run say. */
import { parse } from 'csv-parse/sync';
import {
  answerCells,
  answerHeader,
  cellText,
  csvLine,
  type ClassifyResponse,
  type Separator,
} from '../../client/index.js';
import type { FileOutcome } from '../classification-table.js';

export interface AnswerFormat {
  /** What every file begins with. */
  readonly header: string;
  /** What is said of a file that holds something else. */
  readonly otherwise: string;
  line(outcome: FileOutcome): string;
  /** Null when the file holds something else, which must not be lost. A last line that a kill cut off is left out. */
  read(text: string): readonly RecordedLine[] | null;
}

export interface RecordedLine {
  readonly file: string;
  /** Null where the line reports a problem. */
  readonly answer: RecordedAnswer | null;
  readonly line: string;
}

export interface RecordedAnswer {
  /** Empty where no class was as likely as was asked for. */
  readonly class: string;
  /** Empty where the model was not measured for it. */
  readonly verdict: string;
  readonly model: string;
}

export function recorded({ predictions, verdict, model }: ClassifyResponse): RecordedAnswer {
  return { class: predictions.at(0)?.class ?? '', verdict: verdict ?? '', model: model.version };
}

/** By it Excel knows UTF-8. */
const byteOrderMark = '\ufeff';

export function csvFormat(topK: number, separator: Separator = ','): AnswerFormat {
  const columns = answerHeader(topK);
  const header = csvLine(columns, separator);
  return {
    header: byteOrderMark + header,
    otherwise:
      'with other columns than this command writes (another --top-k or --separator, or another file)',
    line: (outcome) => csvLine(answerCells(outcome, topK), separator),
    read: (given) => {
      const text = given.startsWith(byteOrderMark) ? given.slice(1) : given;
      if (!text.startsWith(header)) return null;
      // A line that a kill cut off may have an open quote; it is the last one.
      const whole = text.slice(header.length, text.lastIndexOf('\n') + 1);
      const options = { relax_column_count: true, relax_quotes: true, raw: true, skip_empty_lines: true };
      const records = parse(whole, { ...options, delimiter: separator }) as unknown as {
        record: string[];
        raw: string;
      }[];
      const isWhole = ({ record }: { record: string[] }): boolean => record.length === columns.length;
      if (!records.slice(0, -1).every(isWhole)) return null;
      return records.filter(isWhole).map(({ record, raw }) => {
        const [file, name] = record.map(cellText);
        const [verdict, , problem, model] = record.slice(-4);
        const line = raw.endsWith('\n') ? raw : `${raw}\n`;
        return { file, answer: problem === '' ? { class: name, verdict, model } : null, line };
      });
    },
  };
}

const lineStart = '{"file":"';

/** One answer of the server in each line, as --json has them. */
export const jsonLinesFormat: AnswerFormat = {
  header: '',
  otherwise: 'with lines that are not answers',
  line: (outcome) => `${JSON.stringify(outcome)}\n`,
  read: (text) => {
    const lines = text.split('\n');
    const last = lines.pop()!; // without a line break: empty, cut off by a kill, or whole
    const answers = lines.filter((line) => line.trim() !== '').map(jsonLine);
    if (!answers.every((answer) => answer !== null)) return null;
    const unfinished = jsonLine(last);
    if (unfinished) return [...answers, unfinished];
    return last.startsWith(lineStart) || lineStart.startsWith(last) ? answers : null;
  },
};

function jsonLine(text: string): RecordedLine | null {
  try {
    const outcome = JSON.parse(text) as FileOutcome;
    if (typeof outcome.file !== 'string') return null;
    return { file: outcome.file, answer: 'problem' in outcome ? null : recorded(outcome), line: `${text}\n` };
  } catch {
    return null;
  }
}
