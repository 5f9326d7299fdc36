import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../../core/failures.js';
import { matrix } from '../../../core/matrix.js';
import { convertDataset } from '../../../trainer/datasets/convert.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { loadAndCheck, loadDataset, loadWithWarnings } from '../../../trainer/datasets/load.js';
import { writeMatFile, type Writable } from '../../../trainer/datasets/mat5/writer.js';
import { writeNpyRows } from '../../../trainer/datasets/npy.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { writeXlsa17 } from '../../../trainer/datasets/write-xlsa17.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

let root: string;
let target: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unseen-forms-'));
});
beforeEach(() => {
  target = join(root, String(count++));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

const dataset: Dataset = {
  ...syntheticDataset({ rowsPerClass: 8 }),
  validationClasses: syntheticDataset().seen.slice(0, 3),
};
const backbone = { name: 'resnet50-imagenet', sha256: 'a'.repeat(64), featureWidth: 24, preprocessing: null };
const failure = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error as Failure,
  );

describe('our own form', () => {
  test('comes back as it was written, to the last bit', async () => {
    const odd = {
      ...dataset,
      classNames: dataset.classNames.map((name, i) => (i === 0 ? 'Häher, "blue"' : name)),
      imageFiles: dataset.imageFiles!.map((file) => file.replace('class-001', 'Häher, "blue"')),
      backbone,
    };
    await writeOpenForm(odd, target);
    expect(await loadDataset(target)).toEqual(odd);
  });

  test('rows without pictures, and rows outside every split, come back too', async () => {
    const splits = { ...dataset.splits, testSeen: dataset.splits.testSeen.slice(1) };
    const labels = dataset.labels.map((label, row) => (row === dataset.splits.testSeen[0] ? -1 : label));
    const bare = { ...dataset, splits, labels, imageFiles: null, validationClasses: null };
    await writeOpenForm(bare, target);
    expect(await loadDataset(target)).toEqual(bare);
  });

  test('an existing directory is left alone, and nothing is left behind', async () => {
    await mkdir(target);
    await expect(writeOpenForm(dataset, target)).rejects.toMatchObject({ code: 'output-exists' });
    expect(await readdir(target)).toEqual([]);
    expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  describe('made by hand', () => {
    /** What somebody with a feature extractor would write: no hashes, no sizes. */
    async function write(files: Record<string, string> = {}): Promise<string> {
      await mkdir(target);
      const features = matrix(
        6,
        2,
        Float32Array.from({ length: 12 }, (_, i) => i),
      );
      await writeNpyRows(join(target, 'features.npy'), features);
      const all = {
        'dataset.json': '{"formatVersion": 1, "name": "pets"}',
        'attributes.csv': 'class,furry,big\ncat,1,0\nhorse,0.5,1\nfish,0,0.1\n',
        'rows.csv':
          'image,class,split\na.jpg,cat,train\nb.jpg,horse,train\nc.jpg,cat,test-seen\nd.jpg,fish,test-unseen\ne.jpg,,none\nf.jpg,horse,train\n',
        ...files,
      };
      for (const [name, content] of Object.entries(all)) await writeFile(join(target, name), content);
      return target;
    }

    test('a minimal dataset.json is enough', async () => {
      const loaded = await loadDataset(await write());
      expect(loaded.classNames).toEqual(['cat', 'horse', 'fish']);
      expect([...loaded.labels]).toEqual([0, 1, 0, 2, -1, 1]);
      expect([...loaded.unseen]).toEqual([2]);
      expect(loaded.attributes.data).toEqual(Float32Array.of(1, 0, 0.5, 1, 0, 0.1));
    });

    test('the order of lines in attributes.csv is free: classes go by name', async () => {
      const loaded = await loadDataset(
        await write({
          'attributes.csv': '\ufeffclass,furry,big\r\nfish,0,0.1\r\nhorse,0.5,1\r\ncat,1,0\r\n',
        }),
      );
      expect([...loaded.labels]).toEqual([2, 1, 2, 0, -1, 1]);
    });

    test.each([
      ['semicolons and decimal commas, as European Excel saves them', ';', ','],
      ['tabs', '\t', '.'],
    ])('tables may have %s', async (_, separator, point) => {
      const saved = (text: string): string =>
        `\ufeff${text.replaceAll(',', separator).replaceAll('.', point).replaceAll('\n', '\r\n')}${separator}\r\n`;
      const loaded = await loadDataset(
        await write({
          'attributes.csv': saved('Class,furry,big\ncat,1,0\nhorse,0.5,1\nfish,0,0.1\n'),
          'rows.csv': saved(
            'class,split\ncat,train\nhorse,train\ncat,test-seen\nfish,test-unseen\n,none\nhorse,train\n',
          ),
        }),
      );
      expect([...loaded.labels]).toEqual([0, 1, 0, 2, -1, 1]);
      expect(loaded.attributes.data).toEqual(Float32Array.of(1, 0, 0.5, 1, 0, 0.1));
    });

    test('the first separator of the header line is that of the table', async () => {
      const loaded = await loadDataset(
        await write({ 'attributes.csv': 'class,red;green;blue\ncat,1\nhorse,0.5\nfish,0\n' }),
      );
      expect(loaded.attributeNames).toEqual(['red;green;blue']);
    });

    test('a name whose letters are written in two ways is one class', async () => {
      const [composed, apart] = ['NFC', 'NFD'].map((form) => 'Käuzchen'.normalize(form));
      const loaded = await loadDataset(
        await write({
          'dataset.json': `{"formatVersion": 1, "name": "pets", "fewShotClasses": ["${apart}"]}`,
          'attributes.csv': `class,furry,big\n${composed},1,0\nhorse,0.5,1\nfish,0,0.1\n`,
          'rows.csv': `class,split\n${apart},train\nhorse,train\n${apart},test-seen\nfish,test-unseen\n,none\nhorse,train\n`,
        }),
      );
      expect([...loaded.labels]).toEqual([0, 1, 0, 2, -1, 1]);
    });

    test('raw float32 features are read with their sizes', async () => {
      await write({
        'dataset.json':
          '{"formatVersion": 1, "name": "pets", "features": {"file": "f.bin", "format": "float32", "rows": 6, "columns": 1}}',
      });
      await writeFile(join(target, 'f.bin'), new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer));
      expect((await loadDataset(target)).features).toEqual(matrix(6, 1, Float32Array.of(1, 2, 3, 4, 5, 6)));
      await writeFile(join(target, 'f.bin'), new Uint8Array(23));
      expect((await failure(loadDataset(target))).message).toMatch(/23 bytes.*need 24/);
    });

    test.each<[string, Record<string, string>, RegExp[]]>([
      ['a dataset.json that is no JSON', { 'dataset.json': '{' }, [/not JSON/]],
      ['another format version', { 'dataset.json': '{"formatVersion": 2, "name": "x"}' }, [/formatVersion/]],
      [
        'a misspelt key',
        { 'dataset.json': '{"formatVersion": 1, "name": "x", "backbon": null}' },
        [/backbon/],
      ],
      [
        'a file outside the directory',
        { 'dataset.json': '{"formatVersion": 1, "name": "x", "rows": {"file": "../r.csv"}}' },
        [/same directory/],
      ],
      [
        'float32 features without sizes',
        { 'dataset.json': '{"formatVersion": 1, "name": "x", "features": {"format": "float32"}}' },
        [/"rows" and "columns"/],
      ],
      [
        'sizes that are not those of the file',
        { 'dataset.json': '{"formatVersion": 1, "name": "x", "features": {"rows": 9}}' },
        [/6 x 2, not 9 x 2/],
      ],
      [
        'an unknown validation class',
        { 'dataset.json': '{"formatVersion": 1, "name": "x", "validationClasses": ["dog"]}' },
        [/"dog"/],
      ],
      [
        'rows of an unknown class and an unknown split, both named',
        { 'rows.csv': 'class,split\ndog,train\ncat,testing\n' },
        [/"dog"/, /"testing".*train, few-shot, test-seen, test-unseen, none/],
      ],
      ['rows without a header', { 'rows.csv': 'a.jpg,cat,train\n' }, [/header line: image,class,split/]],
      ['attributes without a header', { 'attributes.csv': 'cat,1,0\n' }, [/header line: class/]],
      [
        'attributes that are no numbers',
        { 'attributes.csv': 'class,furry,big\ncat,yes,0\nhorse,,1\nfish,0,0\n' },
        [/line 2: "yes" for furry of cat is not a number\. Write 1\./, /line 3: "" for furry of horse/],
      ],
      [
        'lines of different lengths',
        { 'attributes.csv': 'class,furry,big\ncat,1\n', 'rows.csv': 'image,class,split\na.jpg,cat,train\n' },
        [/attributes\.csv, line 2: the class "cat" has 1 value for 2 columns/],
      ],
      ['rows of different lengths', { 'rows.csv': 'class,split\ncat\n' }, [/rows\.csv.*CSV.*line 2/]],
      [
        'fewer rows than features',
        { 'rows.csv': 'image,class,split\na.jpg,cat,train\n' },
        [/1 labels for 6 rows/],
      ],
    ])('%s is refused', async (_name, files, patterns) => {
      const refused = await failure(loadDataset(await write(files)));
      expect(refused.code).toBe('dataset-invalid');
      for (const pattern of patterns) expect(refused.message).toMatch(pattern);
    });

    test('a missing file is named', async () => {
      await write();
      await rm(join(target, 'rows.csv'));
      expect((await failure(loadDataset(target))).message).toMatch(/Cannot open .*rows\.csv/);
    });
  });

  test('a data file that changed after it was written is refused, with the way out', async () => {
    await writeOpenForm(dataset, target);
    const path = join(target, 'attributes.csv');
    await writeFile(path, `${await readFile(path, 'utf8')}\n`);
    expect((await failure(loadDataset(target))).message).toMatch(/attributes\.csv.*remove its sha256/);
  });
});

describe("xlsa17's form", () => {
  async function write(rows: Record<string, Writable>, classes: Record<string, Writable>): Promise<string> {
    await mkdir(target);
    await writeMatFile(join(target, 'res101.mat'), rows);
    await writeMatFile(join(target, 'att_splits.mat'), classes);
    return target;
  }
  const column = (...values: number[]): Writable => ({
    rows: values.length,
    columns: 1,
    values: Float64Array.from(values),
  });
  const rows = {
    features: { rows: 2, columns: 4, values: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
    labels: column(2, 2, 1, 2),
  };
  const classes = {
    att: { rows: 3, columns: 2, values: Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6) },
    original_att: { rows: 3, columns: 2, values: Float64Array.of(10, 20, 30, 40, 50, 60) },
    allclasses_names: ['antelope', 'bat'],
    trainval_loc: column(1, 2),
    test_seen_loc: column(4),
    test_unseen_loc: column(3),
  };

  test('comes back as it was written, to the last bit; its name is the directory', async () => {
    await writeXlsa17(dataset, target);
    expect(await loadDataset(target)).toEqual({ ...dataset, name: String(count - 1) });
  });

  test('locations and labels lose their 1, features and attributes are turned into rows', async () => {
    const loaded = await loadDataset(await write(rows, classes));
    expect(loaded.features).toEqual(matrix(4, 2, rows.features.values));
    expect(loaded.attributes).toEqual(matrix(2, 3, Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)));
    expect([...loaded.labels]).toEqual([1, 1, 0, 1]);
    expect(loaded.splits).toEqual({
      train: Int32Array.of(0, 1),
      testSeen: Int32Array.of(3),
      testUnseen: Int32Array.of(2),
    });
    expect(loaded).toMatchObject({ imageFiles: null, validationClasses: null });
  });

  test('original_att is taken when asked for', async () => {
    const loaded = await loadDataset(await write(rows, classes), { attributes: 'original' });
    expect([...loaded.attributes.data]).toEqual([10, 20, 30, 40, 50, 60]);
  });

  test("attribute names may be numbered as CUB's are, or absent", async () => {
    await write(rows, classes);
    expect((await loadDataset(target)).attributeNames).toEqual(['attribute-1', 'attribute-2', 'attribute-3']);
    await writeFile(join(target, 'attributes.txt'), '1 has_bill::long\n2 2 legs\n3 size::big\n');
    expect((await loadDataset(target)).attributeNames).toEqual(['has_bill::long', '2 legs', 'size::big']);
  });

  test('classes without names, as in Oxford Flowers, are numbered, and a warning says so', async () => {
    const nameless = Object.fromEntries(
      Object.entries(classes).filter(([name]) => name !== 'allclasses_names'),
    );
    const { dataset: loaded, findings } = await loadWithWarnings(await write(rows, nameless));
    expect(loaded.classNames).toEqual(['class 1', 'class 2']);
    expect(loaded).toMatchObject({ seen: Int32Array.of(1), unseen: Int32Array.of(0) });
    expect(findings.filter(({ code }) => code === 'class-name')).toEqual([
      {
        severity: 'warning',
        code: 'class-name',
        message: expect.stringMatching(/no "allclasses_names".*"class 1" to "class 2"/) as string,
      },
    ]);
    await rm(target, { recursive: true });
    const named = await loadWithWarnings(await write(rows, classes));
    expect(named.findings.map(({ code }) => code)).not.toContain('class-name');
  });

  test('attributes without class names that lie the other way round are refused: they would be taken for classes', async () => {
    const { att, trainval_loc, test_seen_loc, test_unseen_loc } = classes;
    const turned = { ...att, rows: 2, columns: 3 };
    const refused = await failure(
      loadDataset(await write(rows, { att: turned, trainval_loc, test_seen_loc, test_unseen_loc })),
    );
    expect(refused.message).toMatch(/"att".*has 2 rows and 3 columns, and there are 2 classes.*transpose it/);
  });

  test('val_loc that shares classes with train_loc is no zero-shot validation', async () => {
    const loaded = await loadDataset(
      await write(rows, { ...classes, train_loc: column(1), val_loc: column(2) }),
    );
    expect(loaded.validationClasses).toBeNull();
  });

  test('the only other features file is found; of several, one must be named', async () => {
    await write(rows, classes);
    await rm(join(target, 'res101.mat'));
    expect((await failure(loadDataset(target))).message).toMatch(/no features file beside it/);
    await writeMatFile(join(target, 'res50.mat'), rows);
    expect((await loadDataset(target)).features.rows).toBe(4);
    await writeMatFile(join(target, 'vit.mat'), rows);
    expect((await failure(loadDataset(target))).message).toMatch(
      /several features files \(res50\.mat, vit\.mat\)/,
    );
    expect((await loadDataset(target, { features: 'vit.mat' })).features.rows).toBe(4);
  });

  test('all variables that are missing or wrong are named at once', async () => {
    const refused = await failure(
      loadDataset(
        await write(
          { features: ['x'], labels: column(0, 1) },
          { att: classes.att, trainval_loc: column(1.5), allclasses_names: column(1, 2) },
        ),
      ),
    );
    expect(refused.code).toBe('dataset-invalid');
    for (const pattern of [
      /"features" of .*res101\.mat does not hold numbers/,
      /"labels".*holds 0 at position 1/,
      /"trainval_loc".*1\.5/,
      /"test_unseen_loc" of .*att_splits\.mat is missing/,
      /"allclasses_names".*is not a list of strings/,
    ])
      expect(refused.message).toMatch(pattern);
  });

  test('a location beyond the rows is refused', async () => {
    const refused = await failure(loadDataset(await write(rows, { ...classes, test_seen_loc: column(5) })));
    expect(refused.message).toMatch(/test-seen names row 5 of only 4/);
  });

  test('rows without a class cannot be written in it', async () => {
    const nameless = { ...dataset, labels: dataset.labels.map((label, i) => (i === 0 ? -1 : label)) };
    await expect(writeXlsa17(nameless, target)).rejects.toThrow(/Row 1 has no class/);
  });
});

describe('loading and converting', () => {
  test('a directory that is no dataset says what one looks like', async () => {
    await mkdir(target);
    expect(await failure(loadDataset(target))).toMatchObject({ code: 'dataset-not-found' });
    expect((await failure(loadDataset(target))).message).toMatch(
      /dataset\.json.*att_splits\.mat.*unseen extract/,
    );
    expect((await failure(loadDataset(join(target, 'absent')))).message).toMatch(/no such directory/);
  });

  test('every error of a dataset is in the message; warnings alone do not stop it', async () => {
    const bad = {
      ...dataset,
      attributes: matrix(
        16,
        10,
        dataset.attributes.data.map((value, i) => (i % 10 ? value : 1)),
      ),
    };
    await writeOpenForm(bad, target);
    const { findings } = await loadAndCheck(target);
    expect(findings.map((finding) => finding.code)).toEqual(['constant-attribute']);
    const worse = {
      ...bad,
      splits: { ...bad.splits, testSeen: bad.splits.testUnseen.slice(0, 2) },
      features: matrix(bad.features.rows, 1, new Float32Array(bad.features.rows).fill(NaN)),
    };
    await writeXlsa17(worse, `${target}-worse`);
    const refused = await failure(loadDataset(`${target}-worse`));
    expect(refused.message).toMatch(/3 problems/);
    expect(refused.message).toMatch(/NaN/);
    expect(refused.message).toMatch(/both test-seen and test-unseen/);
  });

  test('there and back again, every number is the same', async () => {
    await writeXlsa17(dataset, target);
    await convertDataset(target, `${target}-open`, 'open');
    await convertDataset(`${target}-open`, `${target}-back`, 'xlsa17');
    const back = await loadDataset(`${target}-back`);
    expect(back).toEqual({ ...dataset, name: back.name });
    for (const file of ['res101.mat', 'att_splits.mat'])
      expect(await readFile(join(`${target}-back`, file))).toEqual(await readFile(join(target, file)));
  });

  test('converting refuses an existing target before it reads anything', async () => {
    await mkdir(target);
    await expect(convertDataset('/nowhere', target, 'open')).rejects.toMatchObject({ code: 'output-exists' });
  });

  test('xlsa17 options on our own form are a wrong call', async () => {
    await writeOpenForm(dataset, target);
    await expect(loadDataset(target, { features: 'x.mat' })).rejects.toMatchObject({ code: 'usage' });
  });
});
