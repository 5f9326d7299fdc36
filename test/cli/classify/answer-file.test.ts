import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { csvFormat, jsonLinesFormat, type AnswerFormat } from '../../../cli/classify/answer-formats.js';
import { Outputs } from '../../../cli/classify/outputs.js';
import type { FileOutcome } from '../../../cli/classification-table.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
let path: string;
let counter = 0;
beforeEach(() => {
  path = join(folder, `answers-${counter++}`);
});

function answer(file: string, classes: readonly string[] = ['a; b', 'c'], version = 'one'): FileOutcome {
  const predictions = classes.map((name) => ({ class: name, probability: 0.25, seen: true, runtime: false }));
  const model = { version, name: 'birds' };
  const rest = {
    verdict: 'known',
    novelty: 0.5,
    calibrated: true,
    registryRevision: 0,
    requestId: 'r',
  } as const;
  return { file, predictions, model, ...rest };
}
const problem = (file: string): FileOutcome => ({
  file,
  problem: { code: 'image-invalid', detail: 'It has no picture.' },
});

/** Opens the file for a run, writes what is given, and answers which pictures had been answered before. */
async function run(
  format: AnswerFormat,
  files: readonly string[],
  outcomes: readonly FileOutcome[] = [],
  asked: { model?: string; again?: boolean } = {},
): Promise<{ done: string[]; outdated: number }> {
  const outputs = await Outputs.open([[path, format]], { files, model: 'one', again: false, ...asked });
  const done = files.filter((file) => outputs.answerTo(file));
  for (const outcome of outcomes) await outputs.write(outcome);
  await outputs.close();
  return { done, outdated: outputs.outdated };
}
const content = (): string => readFileSync(path, 'utf8');

describe.each([
  ['CSV', csvFormat(2)],
  ['CSV with semicolons', csvFormat(2, ';')],
  ['JSON lines', jsonLinesFormat],
])('a file of answers in %s', (_, format) => {
  test('has answers, also those with no class that is likely enough; problems are asked about again', async () => {
    const files = ['1', '2', '3'];
    await run(format, files, [answer('1'), answer('2', []), problem('3')]);
    expect((await run(format, files)).done).toEqual(['1', '2']);
    expect(content()).not.toContain('no picture');
  });

  test('keeps what it says of pictures that are not asked about now', async () => {
    await run(format, ['1', '2', '3'], [answer('1'), answer('2'), problem('3')]);
    const before = content();
    expect(await run(format, ['4'], [], { model: 'two' })).toEqual({ done: [], outdated: 0 });
    expect(content()).toBe(before);
    expect(await run(format, ['2', '4'], [answer('2', ['d'], 'two')], { model: 'two' })).toEqual({
      done: [],
      outdated: 1,
    });
    expect((await run(format, ['1', '2', '3'])).done).toEqual(['1']);
  });

  test('is asked again for the pictures of this run on request', async () => {
    await run(format, ['1', '2'], [answer('1'), answer('2')]);
    expect(await run(format, ['2'], [answer('2', ['e'])], { again: true })).toEqual({
      done: [],
      outdated: 0,
    });
    expect((await run(format, ['1', '2'])).done).toEqual(['1', '2']);
    expect(content().match(/a; b/g)).toHaveLength(1);
  });

  test('loses a last line that was cut off, and nothing else', async () => {
    await run(format, ['1', '2'], [answer('1'), answer('2')]);
    const whole = content();
    for (const end of [1, 5, 30]) {
      writeFileSync(path, whole.slice(0, -end));
      expect((await run(format, ['1'])).done).toEqual(['1']);
    }
  });
});

describe('a file that holds something else is not touched', () => {
  test.each([
    'precious,notes',
    'precious,notes\n',
    '{"class":"a"}\n',
    '{"file":3}\n',
    `${JSON.stringify(answer('1'))}\nprecious\n`,
    `${JSON.stringify(answer('1'))}\nprecious\n${JSON.stringify(answer('2'))}\n`,
    '[1]',
    'null\n',
  ])('as JSON lines: %j', async (text) => {
    writeFileSync(path, text);
    await expect(run(jsonLinesFormat, ['1'])).rejects.toThrow('lines that are not answers');
    expect(content()).toBe(text);
  });

  test('as a table with lines of another length', async () => {
    await run(csvFormat(1), ['1'], [answer('1'), answer('2')]);
    const text = content().replace('\n1,', '\nprecious\n1,');
    writeFileSync(path, text);
    await expect(run(csvFormat(1), ['1'])).rejects.toThrow('other columns');
    expect(content()).toBe(text);
  });

  test('and neither is the other file of the same run', async () => {
    await run(csvFormat(1), ['1'], [answer('1')]);
    const before = content();
    const other = join(folder, 'precious.txt');
    writeFileSync(other, 'notes\n');
    const wanted = [
      [path, csvFormat(1)],
      [other, jsonLinesFormat],
    ] as const;
    await expect(Outputs.open(wanted, { files: ['1'], model: 'one', again: true })).rejects.toThrow(other);
    expect(content()).toBe(before);
  });
});

describe('a table is for spreadsheets', () => {
  test('it begins with a byte order mark; one from before that had none is continued', async () => {
    await run(csvFormat(1), ['1'], [answer('1', ['Grünspecht'])]);
    expect(content()).toMatch(/^\ufefffile,class,.*\n1,Grünspecht,0.25,/);
    writeFileSync(path, content().slice(1));
    expect((await run(csvFormat(1), ['1'])).done).toEqual(['1']);
    expect(content()).toMatch(/^\ufefffile,/);
  });

  test('with semicolons numbers have decimal commas, and names with semicolons stay whole', async () => {
    await run(csvFormat(2, ';'), ['1,5.png'], [answer('1,5.png')]);
    const [header, line] = parse(content(), { bom: true, delimiter: ';' });
    expect(header).toHaveLength(11);
    expect(line.slice(0, 9)).toEqual([
      '1,5.png',
      'a; b',
      '0,25',
      'seen',
      'c',
      '0,25',
      'seen',
      'known',
      '0,5',
    ]);
    await expect(run(csvFormat(2), ['1,5.png'])).rejects.toThrow('another --top-k or --separator');
  });
});
