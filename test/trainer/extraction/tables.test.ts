/** Tables as people have them: European Excel, byte order marks, and the mistakes that are made by hand. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { didYouMean, nearestNames } from '../../../core/similar-names.js';
import { silent } from '../../../core/progress.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { readAttributes } from '../../../trainer/extraction/attributes.js';
import { extract } from '../../../trainer/extraction/extract.js';
import { defaultSplitOptions } from '../../../trainer/extraction/make-splits.js';
import { readInputs } from '../../../trainer/extraction/plan.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
let counter = 0;
function put(content: string | Buffer, path = join(folder, `table-${counter++}.csv`)): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
const read = (content: string | Buffer) => readAttributes(put(content));

const expected = {
  classNames: ['Blaumeise', 'Kohlmeise'],
  attributeNames: ['Flügel', 'Größe'],
  values: [
    [0.5, 11.5],
    [0, 14],
  ],
  places: [expect.stringMatching(/table-\d+\.csv, line \d$/), expect.stringMatching(/, line \d$/)],
  leftOut: [],
  mistakes: [],
  named: new Set(['Blaumeise', 'Kohlmeise']),
};
const european = 'class;Flügel;Größe\r\nBlaumeise;0,5;11,5\r\nKohlmeise;0;14\r\n';

describe('the same table is read', () => {
  test.each<[string, string | Buffer]>([
    ['with commas and points', 'class,Flügel,Größe\nBlaumeise,0.5,11.5\nKohlmeise,0,14\n'],
    ['with semicolons and decimal commas', european],
    ['with a byte order mark', `\ufeff${european}`],
    [
      'with tabs, as UTF-16 ("Unicode text")',
      Buffer.from(`\ufeff${european.replaceAll(';', '\t')}`, 'utf16le'),
    ],
    ['as UTF-16 without a byte order mark', Buffer.from(european, 'utf16le')],
    ['in the encoding of Windows', Buffer.from(european, 'latin1')],
    ['with empty columns and lines at its end', european.replaceAll('\r\n', ';;\r\n') + ';;;;\r\n'],
    ['with Class, and Excel’s own word for the separator', `sep=;\r\n${european.replace('class', 'Class')}`],
    ['with quoted decimal commas', 'class,Flügel,Größe\nBlaumeise,"0,5","11,5"\nKohlmeise,0,14\n'],
  ])('%s', async (_, content) => {
    expect(await read(content)).toEqual(expected);
  });
});

describe('what cannot be used is told with row, column and remedy', () => {
  test.each([
    ['a;b;c\nx;1;2', /line 1: the first column must be called class.*"a": rename it/],
    ['class;b;;c\nx;1;2;3', /line 1: column C has no name\. Write one/],
    ['class;b;b\nx;1;2', /two columns are called "b" \(B and C\)\. Rename one/],
    ['class\nx', /there is no attribute/],
    ['', /is empty\. It needs a header line/],
    ['class;b\n', /describes no class: there is nothing below the header line/],
    [
      ';wing;;size\nclass;a;b;c\nx;1;2;3',
      /the header line must be the first, but it is line 2\. Remove the lines above/,
    ],
    ['Birds of 2024;;\n;;\nclass;a;b\nx;1;2', /the header line must be the first, but it is line 3/],
    ['class,b\nx,1\n"y,2\nz,3', /a double quote in line 3 is opened and never closed/],
    ['class,b\nx,1\0\n', /is not a text file/],
  ])('%s', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test.each([
    ['ca. 3', /line 3: "ca\. 3" for legs \(column B\) of the class "dog" is not a number\. Write 3 alone/],
    ['', /line 3: there is nothing for legs \(column B\) of the class "dog"\. Write a number/],
    ['yes', /Write 1\./],
    ['0,5', /Write 0\.5: other cells of this table have decimal points/],
    ['0x10', /is not a number/],
    ['#DIV/0!', /Write a number: this is what a spreadsheet shows for a formula that fails/],
    ['01.Mai', /The spreadsheet turned a number into a date/],
    ['50%', /Write 50, or one hundredth of it, whichever the other cells of the column have/],
  ])('a cell "%s"', async (cell, message) => {
    const { leftOut } = await read(`class;legs;size\nant;6;0.1\ndog;${cell};5\n`);
    expect(leftOut.map(({ file, reason }) => `${file.split(', ')[1]}: ${reason}`).join()).toMatch(message);
  });

  test.each([
    // Who does what the message says must not train on another number than was meant.
    ['1.234,5', '0,5', 'Write 1234,5, with nothing between thousands.'],
    ['1,234.5', '0.5', 'Write 1234.5, with nothing between thousands.'],
    ['1.234,5', '0.5', 'Write 1234.5, with nothing between thousands.'],
    ['1.234.567', '0,5', 'Write 1234567, with nothing between thousands.'],
    ['1 234,5 kg', '0,5', 'Write 1234,5 alone, without unit or other words.'],
    ['1’234', '0.5', 'Write 1234, with nothing between thousands.'],
    [
      '1,234',
      '0.5',
      'Write 1234 or 1.234, whichever is meant: other cells of this table have decimal points.',
    ],
    ['1,234 kg', '0.5', 'Write 1234 or 1.234, whichever is meant, without unit or other words.'],
    ['1.234 kg', '0.5', 'Write 1.234 alone, without unit or other words.'],
    ['0,123 kg', '0.5', 'Write 0.123 alone, without unit or other words.'],
    ['.5 kg', '0.5', 'Write 0.5 alone, without unit or other words.'],
    ['−5', '0.5', 'Write -5.'],
    ['3-4', '0.5', 'Write a number, such as 0 or 0.5.'],
    ['1/2', '0,5', 'Write a number, such as 0 or 0,5.'],
    ['12.34,5', '0,5', 'Write a number, such as 0 or 0,5.'],
    ['1e3 kg', '0.5', 'Write a number, such as 0 or 0.5.'],
  ])('the remedy for "%s" in a table with %s', async (cell, other, remedy) => {
    const { leftOut } = await read(`class;legs;size\nant;6;${other}\ndog;${cell};5\n`);
    expect(leftOut.map(({ reason }) => reason.split('is not a number. ')[1])).toEqual([remedy]);
  });

  test('a spreadsheet is named as one, with how to save it', async () => {
    await expect(read(Buffer.from('PK\u0003\u0004…'))).rejects.toThrow(/spreadsheet.*CSV UTF-8/);
  });
});

test('mistakes in a table are told at once, before a backbone or picture is opened', async () => {
  put('no picture at all', join(folder, 'birds/Blaumeise/1.jpg'));
  put('no picture at all', join(folder, 'birds/Kohlmeisse/1.jpg'));
  const attributes = put(
    '\ufeffclass;Flügel;Größe\r\nBlaumeise;0,5;11,5 cm\r\nKohlmeise;0;14\r\nAmsel;;25\r\nBlaumeise;1;2\r\nStar;0,2\r\n;1;2\r\n',
  );
  const notes: string[] = [];
  const request = { images: join(folder, 'birds'), attributes, out: join(folder, 'out') };
  const opened = new Error('something was opened');
  const run = extract(
    { ...request },
    { ...silent, note: (line) => notes.push(line) },
    { openSource: () => Promise.reject(opened) },
  );
  const message = await run.then(
    () => 'it went on',
    (error: unknown) => (error as Error).message,
  );
  expect(message).toMatch(
    /^5 lines of .* cannot be used, and a class with pictures has no line in .*; no picture has been read\..* --leave-out-lines and --leave-out-classes:/,
  );
  expect(message.split('\n').slice(1)).toEqual([
    expect.stringMatching(/line 2: "11,5 cm" for Größe \(column C\).*Write 11,5 alone/),
    expect.stringMatching(/line 4: there is nothing for Flügel \(column B\)/),
    expect.stringMatching(/line 5: the class "Blaumeise" is described twice, first in line 2/),
    expect.stringMatching(/line 6: the class "Star" has 1 value for 2 columns/),
    expect.stringMatching(/line 7: the class has no name/),
    // The other class with pictures has a line, which is named above.
    expect.stringMatching(
      /Kohlmeisse\/: the class "Kohlmeisse" has 1 picture but no usable line in .*Did you mean "Kohlmeise"\?/,
    ),
  ]);
  await expect(
    extract({ ...request, leaveOutLines: true, splits: { unseenClasses: ['Kohlmeisse'] } }, silent, {
      openSource: () => Promise.reject(opened),
    }),
  ).rejects.toThrow(/None of the classes|Did you mean "Kohlmeise"/);
});

test('a class with pictures and no line ends the run, unless it is to be left out', async () => {
  for (const name of ['Amsel', 'Star']) put('no picture at all', join(folder, `two/${name}/1.jpg`));
  const attributes = put('class,wing\nAmsel,1\nDrossel,0.5\n');
  const request = { images: join(folder, 'two'), attributes, out: join(folder, 'two-out') };
  const parts = {
    backbone: smallBackbone(),
    openSource: () => Promise.reject(new Error('pictures are read')),
  };
  await expect(extract(request, silent, parts)).rejects.toThrow(
    /^A class with pictures has no line in .*; no picture has been read\. Correct it, or leave it out with --leave-out-classes:\n {2}- Star\/: .*Add one, or correct it\.$/,
  );
  await expect(extract({ ...request, leaveOutClasses: true }, silent, parts)).rejects.toThrow(
    'pictures are read',
  );
});

test('Windows letters beyond Latin-1 are read', async () => {
  const { classNames } = await read(Buffer.from('class,wing\n\x8cdicn\xe8me \x96 m\xe2le,1\n', 'latin1'));
  expect(classNames).toEqual(['Œdicnème – mâle']);
});

describe('a mistake that goes through a column is told once', () => {
  const names = ['Amsel', 'Drossel', 'Fink', 'Star', 'Zeisig'];
  test.each([
    [['76%', '49%', '70%', '90%', '5 %'], 'Write them without the percent sign.'],
    [
      ['yes', 'no', 'yes', 'x', ''],
      'Write 1 for "yes" and "x" and 0 for "no", and 0 into the empty cells if they mean no.',
    ],
    [
      ['blue', 'red', 'red', 'green', 'red'],
      'If it is not an attribute, remove the column. If it says which of several values a class has, make a column of 1 and 0 for each value.',
    ],
    [
      ['1 cm', '2 cm', '3 cm', '4 cm', '5'],
      'For "1 cm": write 1 alone, without unit or other words. Correct the others likewise.',
    ],
    [['', '', '', '', ''], 'it is empty. Fill it in, or remove the column.'],
  ])('%s', async (cells, remedy) => {
    const { mistakes, leftOut } = await read(
      `class;wing;size\n${names.map((name, i) => `${name};1;${cells[i]}`).join('\n')}`,
    );
    expect(mistakes).toEqual([
      {
        file: expect.stringMatching(/, column C \(size\)$/) as string,
        reason: expect.stringContaining(remedy) as string,
      },
    ]);
    expect(leftOut.length).toBe(cells.filter((cell) => cell !== '5').length); // line by line for --leave-out-lines
  });

  test('beside one in a single line, in the order of the table', async () => {
    const { mistakes } = await read('class;wing;size\na;1;n/a\nb;1;n/a\nc;one;n/a\nd;1;n/a\n;1;2\n');
    expect(mistakes.map(({ file, reason }) => `${file.split(', ')[1]}: ${reason.slice(0, 40)}`)).toEqual([
      'column C (size): 4 cells are not numbers, such as "n/a" (',
      'line 4: "one" for wing (column B) of the class "',
      'line 6: the class has no name. Write one, or rem',
    ]);
  });
});

describe('lines that nobody means as classes', () => {
  const images = join(folder, 'doubtful');
  for (const name of ['Blue Jay', 'Kea', 'Sum']) put('no picture at all', join(images, name, '1.jpg'));
  const inputs = (lines: string, leaveOutLines = false) =>
    readInputs({
      images,
      attributes: put(`class,wing\nBlue Jay,1\nKea,0\nSum,0.5\n${lines}\n`),
      leaveOutLines,
      splits: defaultSplitOptions,
    });
  test.each([
    [
      'Total,1.5',
      /line 5: "Total" has no pictures, and looks like a sum or mean of the lines above\. Remove/,
    ],
    ['Mittelwert,0.5', /line 5: "Mittelwert" has no pictures/],
    ['blue  jay,1', /line 5: the class "blue {2}jay" differs from "Blue Jay" in case or spaces only/],
    ['Emu,1\nEMU,1\nemu bird,1\nEmu Bird,1', /line 8: the class "Emu Bird" differs from "emu bird"/],
  ])('%s', async (lines, message) => {
    await expect(inputs(lines)).rejects.toThrow(message);
    const { described } = await inputs(lines, true);
    expect(described.classNames.slice(0, 3)).toEqual(['Blue Jay', 'Kea', 'Sum']);
    expect(described.leftOut.length).toBe(1);
  });
  test('a class with pictures, short names in another case, and a sum further up are classes', async () => {
    const { described } = await inputs('Mean,1\nEmu,1\nEMU,1\nDodo,0');
    expect(described.classNames).toEqual(['Blue Jay', 'Kea', 'Sum', 'Mean', 'Emu', 'EMU', 'Dodo']);
  });
});

describe('folders whose names are not those of the table', () => {
  const images = join(folder, 'differing');
  for (const name of ['Blue Jay', 'Kea']) put('no picture at all', join(images, name, '1.jpg'));
  const messageOf = (table: string): Promise<string> =>
    readInputs({ images, attributes: put(table), splits: defaultSplitOptions }).then(
      () => 'it went on',
      (error: unknown) => (error as Error).message,
    );
  test('are named one by one where the table has something like them, usable or not', async () => {
    const none = await messageOf('class,wing\nblue_jay,1\nkea,1\n');
    expect(none).toMatch(/Blue Jay\/: .*Did you mean "blue_jay"\?\n.*Kea\/: .*Did you mean "kea"\?/);
    const column = await messageOf('class,wing\nBlue Jay,one\nKea,two\nEmu,two\nDodo,two\n');
    expect(column).toMatch(
      /^4 lines of .* cannot be used.* Correct them, or leave them out .*:\n.*column B[^\n]*$/,
    );
    const bad = await messageOf('class,wing\nblue jai,one\nKea,1\n');
    expect(bad).toMatch(/Did you mean "blue jai"\?/);
  });
  test('are the titles of a table that is turned', async () => {
    expect(await messageOf('class,Kea,Blue Jay\nwing,1,0\n')).toMatch(
      /turn the table, so that each class is a line/,
    );
  });
});

describe('a name that does not exist', () => {
  const names = ['Blue Jay', 'Cardinal', 'wing::blue', 'wing::brown'];
  test.each([
    ['Blue jay', 'Blue Jay'],
    ['blue_jays', 'Blue Jay'],
    ['Cradinal', 'Cardinal'],
    ['wing::bleu', 'wing::blue'],
    ['Ostrich', null],
    ['', null],
  ])('%s suggests %s', (given, suggested) => {
    expect(nearestNames(given, names).at(0) ?? null).toBe(suggested);
  });
  test('is no sentence when nothing is close', () => {
    expect(didYouMean('Ostrich', names)).toBe('');
    expect(didYouMean('cardinals', names)).toBe(' Did you mean "Cardinal"?');
  });
});

test('decimal commas between commas are told apart from values too many', async () => {
  const path = put('class,wing,bill\nAmsel,0,5,1\nStar,1,0\n');
  const { leftOut } = await readAttributes(path);
  expect(leftOut).toEqual([
    {
      file: `${path}, line 2`,
      reason:
        'the class "Amsel" has 3 values for 2 columns. Commas separate its cells: write decimals with a point, such as 0.5, or put them between double quotes. If it has none: find the surplus one: if another one is removed, all values after it are shifted.',
    },
  ]);
  const others = await readAttributes(put('class,wing,bill\nAmsel,0.5,0,1\nStar,1,0\nDrossel,1\n'));
  expect(others.leftOut.map(({ reason }) => reason)).toEqual([
    'the class "Amsel" has 3 values for 2 columns. Find the surplus one: if another one is removed, all values after it are shifted.',
    'the class "Drossel" has 1 value for 2 columns. Find the missing one: if it is added in the wrong place, all values after it are shifted.',
  ]);
});

test.each([
  [
    'one point in a table of decimal commas',
    '0.5',
    ['0,1', '0,2', '7'],
    /Write 0,5: other cells of this table have decimal commas/,
  ],
  [
    'one comma in a table of decimal points',
    '0,5',
    ['0.1', '0.2', '7'],
    /Write 0\.5: other cells of this table have decimal points/,
  ],
])('%s is the one that is named', async (_, odd, others, message) => {
  const lines = others.map((value, i) => `other ${i};${value};1`).join('\n');
  const { leftOut } = await readAttributes(put(`class;legs;size\ndog;${odd};5\n${lines}\n`));
  expect(leftOut.length).toBe(1);
  expect(leftOut[0].reason).toMatch(message);
});

describe('a list of pictures', () => {
  const images = join(folder, 'listed');
  for (const name of ['1.jpg', '2.jpg', 'more/3.jpg']) put('no picture at all', join(images, name));
  const attributes = put('class,wing\nAmsel,1\nStar,0\n');
  const inputs = (list: string, leaveOutLines = false) =>
    readInputs({ images, attributes, list, leaveOutLines, splits: defaultSplitOptions });
  const messageOf = (list: string): Promise<string[]> =>
    inputs(list).then(
      () => ['it went on'],
      (error: unknown) => (error as Error).message.split('\n'),
    );

  test('ends the run with all of its lines that cannot be used, missing files among them', async () => {
    const list = put(
      'File;Class;Split\n1.jpg;Amsel;trian\n1.jpg;Amsel;train\n1.jpg;Star;train\n9.jpg;Amsel;train\nmore;Star;train\n2.jpg;;train\n2.jpg;Amsel;train;x\n',
    );
    const [first, ...rest] = await messageOf(list);
    expect(first).toMatch(/^6 lines of .* cannot be used; no picture has been read\. .* --leave-out-lines:$/);
    expect(rest).toEqual([
      expect.stringMatching(/line 2: "trian" is not a split\. Write one of train,/),
      expect.stringMatching(/line 4: 1\.jpg is listed twice, first in line 3\. Remove/),
      expect.stringMatching(/line 5: 9\.jpg cannot be opened in .*listed: there is no such file\./),
      expect.stringMatching(/line 6: more cannot be opened in .*listed: it is a folder\./),
      expect.stringMatching(/line 7: it names no file or no class/),
      expect.stringMatching(/line 8: it has 4 cells for 3 columns/),
    ]);
    expect((await inputs(list, true)).usable.map(({ file }) => file)).toEqual(['1.jpg']);
  });

  test('of which no line can be used says why, also when such lines are to be left out', async () => {
    const list = put('file,class,split\n1.jpg,Amsel,trian\n2.jpg,Star,tset\n');
    expect(await messageOf(list)).toEqual([
      expect.stringMatching(/^2 lines of .* cannot be used/),
      expect.stringContaining('"trian" is not a split'),
      expect.stringContaining('"tset" is not a split'),
    ]);
    await expect(inputs(list, true)).rejects.toThrow(/lists no pictures that can be used\.\n.*"trian" is no/);
  });

  test('is named beside mistakes in the attributes and classes without a line', async () => {
    const list = put('file,class\n1.jpg,Amsel\n2.jpg,Drossel\n3.jpg,Amsel\n');
    const both = put('class,wing\nAmsel,1\nStar,\n');
    await expect(readInputs({ images, attributes: both, list, splits: defaultSplitOptions })).rejects.toThrow(
      /^A line of .* cannot be used, a line of .* cannot be used, and a class with pictures has no line in .*; no picture has been read\. Correct them, or leave them out with --leave-out-lines and --leave-out-classes:/,
    );
  });
});

describe('letters that can be written in two ways', () => {
  const [composed, apart] = ['NFC', 'NFD'].map((form) => 'Häher'.normalize(form));
  const request = {
    images: join(folder, 'two-ways'),
    attributes: put(`class,wing\n${composed},1\nAmsel,0\n`),
    out: join(folder, 'two-ways-out'),
  };
  for (const name of [apart, 'Amsel']) put('no picture at all', join(request.images, name, '1.jpg'));
  const inputs = (more: { list?: string; unseenClasses?: string[] } = {}) =>
    readInputs({
      ...request,
      ...(more.list !== undefined && { list: more.list }),
      splits: { ...defaultSplitOptions, ...(more.unseenClasses && { unseenClasses: more.unseenClasses }) },
    });

  test('are one class in folders and table, and its files keep their names', async () => {
    const { usable, undescribed } = await inputs();
    expect(undescribed).toEqual([]);
    expect(usable.map(({ className, file }) => [className, file])).toEqual([
      ['Amsel', 'Amsel/1.jpg'],
      [composed, `${apart}/1.jpg`],
    ]);
  });

  test('are one class in a list and the table', async () => {
    const list = put(`file,class\n${apart}/1.jpg,${apart}\nAmsel/1.jpg,Amsel\n`);
    expect((await inputs({ list })).usable.map(({ className }) => className)).toEqual([composed, 'Amsel']);
  });

  test('are one class among those that are to be unseen', async () => {
    const parts = {
      backbone: smallBackbone(),
      openSource: () => Promise.reject(new Error('pictures are read')),
    };
    await expect(extract({ ...request, splits: { unseenClasses: [apart] } }, silent, parts)).rejects.toThrow(
      'pictures are read',
    );
  });

  test('are one class when the table has it twice', async () => {
    const { leftOut } = await read(`class,wing\n${composed},1\n${apart},0\n`);
    expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining('is described twice')]);
  });
});
