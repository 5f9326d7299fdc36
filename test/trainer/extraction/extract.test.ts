import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Extractor } from '../../../core/backbone/extractor.js';
import { prepare } from '../../../core/backbone/preprocess.js';
import { rowOf, rowsBetween } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { loadDataset } from '../../../trainer/datasets/load.js';
import { extract, mergeShards, type ExtractionRequest } from '../../../trainer/extraction/extract.js';
import { hugePng } from '../../../fixtures/flat-pictures.js';
import { drawn, image, numbered, truncatedJpeg } from '../../support/pictures.js';
import { temporaryFolder } from '../../support/folders.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';

const folder = temporaryFolder();
const backbone = smallBackbone();
const given = { backbone, openSource: Extractor.open.bind(Extractor) };
const base = { batchSize: 2, session: { threads: 1 } }; // parts of 16 pictures

function put(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const images = join(folder, 'images');
const classes = ['ant', 'bee', 'cat', 'dog', 'emu'];
for (const [c, name] of classes.entries())
  for (let i = 0; i < 11; i++) put(join(images, name, `${i}.png`), await numbered(100 * c + i));
const attributes = put(
  join(folder, 'attributes.csv'),
  ['class,legs,size,wings', 'ant,6,0.1,0', 'bee,6,0.2,1', 'cat,4,3,0', 'dog,4,5,0', 'emu,2,8,1', ''].join(
    '\n',
  ),
);
const request = (out: string, more: Partial<ExtractionRequest> = {}): ExtractionRequest => ({
  images,
  attributes,
  out: join(folder, out),
  ...base,
  ...more,
});
const bytesIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'base64')]),
  );

const whole = await extract(request('whole/data'), silent, given);

describe('a folder of pictures becomes a dataset', () => {
  test('each row is the features of its picture, with the backbone named', async () => {
    const dataset = await loadDataset(join(folder, 'whole/data'));
    expect(dataset.features.rows).toBe(55);
    expect(dataset.backbone).toEqual(backbone.identity);
    const row = 37;
    const file = dataset.imageFiles![row];
    expect(file.split('/')[0]).toBe(dataset.classNames[dataset.labels[row]]);
    const extractor = await Extractor.open(backbone, { threads: 1, batchSize: 1 });
    const prepared = await prepare(readFileSync(join(images, file)), file, backbone.entry.preprocessing);
    const { data } = await extractor.features(prepared);
    await extractor.close();
    rowOf(dataset.features, row).forEach((value, i) => {
      expect(value).toBeCloseTo(data[i], 5);
    });
  });

  test('a fifth of the classes is unseen, and a fifth of the pictures of seen classes is kept for testing', async () => {
    const { unseen, splits } = await loadDataset(join(folder, 'whole/data'));
    expect(unseen).toHaveLength(1);
    expect(splits.testUnseen).toHaveLength(11);
    expect(splits.testSeen).toHaveLength(8);
    expect(splits.train).toHaveLength(36);
  });

  test('nothing is left out, and the work directory is gone', () => {
    expect(whole.assembled?.leftOut).toEqual([]);
    expect(existsSync(join(folder, 'whole/data.work'))).toBe(false);
  });

  test('the same seed gives the same splits, and another seed others', async () => {
    await extract(request('again/data'), silent, given);
    expect(bytesIn(join(folder, 'again/data'))).toEqual(bytesIn(join(folder, 'whole/data')));
    await extract(request('other/data', { splits: { seed: 2 } }), silent, given);
    expect(bytesIn(join(folder, 'other/data'))['rows.csv']).not.toEqual(
      bytesIn(join(folder, 'whole/data'))['rows.csv'],
    );
  });

  test('unseen classes by list', async () => {
    await extract(request('listed', { splits: { unseenClasses: ['cat', 'emu'] } }), silent, given);
    const { unseen, classNames } = await loadDataset(join(folder, 'listed'));
    expect(Array.from(unseen, (index) => classNames[index])).toEqual(['cat', 'emu']);
    await expect(
      extract(request('x', { splits: { unseenClasses: ['yak'] } }), silent, given),
    ).rejects.toThrow(/yak/);
  });

  test('files, classes and splits by a CSV file', async () => {
    const lines = classes.flatMap((name) =>
      [0, 1, 2, 3].map((i) => {
        const split = name === 'dog' ? 'test-unseen' : i === 3 ? 'test-seen' : 'train';
        return `${name}/${i}.png,${name},${split}`;
      }),
    );
    const list = put(
      join(folder, 'list.csv'),
      [
        'file,class,split',
        ...lines,
        'ant/9.png,ant,sometimes',
        '../secret.png,ant,train',
        'ant/../../x.png,ant,train',
      ].join('\n'),
    );
    await expect(extract(request('by-list', { list }), silent, given)).rejects.toThrow(
      /^3 lines of .*list\.csv cannot be used; no picture has been read\. .*--leave-out-lines:\n.*line 22: "sometimes" is not a split/,
    );
    const { assembled } = await extract(request('by-list', { list, leaveOutLines: true }), silent, given);
    expect(assembled?.leftOut).toEqual([
      { file: `${list}, line 22`, reason: expect.stringContaining('"sometimes" is not a split') as string },
      ...[23, 24].map((line) => ({
        file: `${list}, line ${line}`,
        reason: expect.stringContaining('outside of the folder of images') as string,
      })),
    ]);
    const { splits, features } = await loadDataset(join(folder, 'by-list'));
    expect([features.rows, splits.train.length, splits.testSeen.length, splits.testUnseen.length]).toEqual([
      20, 12, 4, 4,
    ]);
  });
});

describe('stopped and gone on', () => {
  test('a run that was stopped resumes from its finished parts, to the same bytes', async () => {
    const stop = new AbortController();
    let batches = 0;
    const openSource: typeof given.openSource = async (...args) => {
      const extractor = await Extractor.open(...args);
      const run = extractor.features.bind(extractor);
      extractor.features = (...batch) => {
        batches += 1;
        if (batches === 20) stop.abort();
        return run(...batch);
      };
      return extractor;
    };
    const stopped = extract(
      request('stopped/data'),
      { ...silent, signal: stop.signal },
      { backbone, openSource },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(join(folder, 'stopped/data'))).toBe(false);
    const report = await extract(request('stopped/data'), silent, given);
    expect(report.resumed).toBe(32); // two parts of 16
    expect(bytesIn(join(folder, 'stopped/data'))).toEqual(bytesIn(join(folder, 'whole/data')));
  });

  test('a damaged part is done anew, and other options are refused', async () => {
    const shard = { number: 1, of: 2 };
    await extract(request('damaged/data', { shard }), silent, given);
    const work = join(folder, 'damaged/data.shard-1-of-2');
    writeFileSync(join(work, 'part-000000.bin'), 'x');
    const report = await extract(request('damaged/data', { shard }), silent, given);
    expect(report.pictures - report.resumed).toBe(16);
    await expect(
      extract(request('damaged/data', { shard, splits: { seed: 9 } }), silent, given),
    ).rejects.toThrow(/other pictures, attributes, backbone or options/);
  });

  test('an output that exists is never touched', async () => {
    await expect(extract(request('whole/data'), silent, given)).rejects.toMatchObject({
      code: 'output-exists',
    });
  });
});

describe('shards', () => {
  test('merged shards equal the whole, to the byte', async () => {
    for (const number of [3, 1, 2])
      await extract(request('sharded/data', { shard: { number, of: 3 } }), silent, given);
    await mergeShards([], join(folder, 'sharded/data'));
    expect(bytesIn(join(folder, 'sharded/data'))).toEqual(bytesIn(join(folder, 'whole/data')));
  });

  test('a missing shard is named, and so is one of another extraction', async () => {
    const out = join(folder, 'partial/data');
    await extract(request('partial/data', { shard: { number: 1, of: 2 } }), silent, given);
    await expect(mergeShards([], out)).rejects.toThrow(/2 is missing.*--shard 2\/2/);
    const [first, foreign] = ['partial/data.shard-1-of-2', 'foreign/data.shard-2-of-2'].map((name) =>
      join(folder, name),
    );
    await expect(mergeShards([first], out)).rejects.toThrow(/2 of 4 parts are missing/);
    const other = { shard: { number: 2, of: 2 }, splits: { seed: 5 } };
    await extract(request('foreign/data', other), silent, given);
    await expect(mergeShards([first, foreign], out)).rejects.toThrow(/another extraction/);
    await expect(mergeShards([], join(folder, 'nothing'))).rejects.toThrow(/no shards beside/);
  });
});

describe('bad input is reported with a fix suggestion, and the rest is extracted', () => {
  const bad = join(folder, 'bad');
  const setUp = async (): Promise<void> => {
    for (const [c, name] of ['ant', 'bee', 'cat'].entries())
      for (let i = 0; i < 4; i++) put(join(bad, name, `${i}.png`), await numbered(50 * c + i));
    put(join(bad, 'ant/truncated.jpg'), await truncatedJpeg());
    put(join(bad, 'ant/text.jpg'), 'this is no picture');
    put(join(bad, 'bee/drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    put(join(bad, 'bee/huge.png'), hugePng(30_000, 30_000));
    put(
      join(bad, 'cat/dot.png'),
      await image(drawn(1, 1, () => [9, 9, 9]))
        .png()
        .toBuffer(),
    );
    put(join(bad, 'cat/.DS_Store'), 'hidden');
    put(join(bad, 'yak/0.png'), await numbered(7));
    put(join(bad, 'dog/0.png'), await numbered(8));
    put(join(bad, 'README.txt'), 'hello');
    mkdirSync(join(bad, 'emu'), { recursive: true });
  };

  test('every case of it, in one run', async () => {
    await setUp();
    const table = put(
      join(folder, 'bad.csv'),
      'class,legs,size\nant,6,0.1\nbee,6,0.2\ncat,4,3\ndog,four,5\nemu,2,8\nant,6,0.1\n',
    );
    const { assembled } = await extract(
      request('bad-out', {
        ...{ images: bad, attributes: table, splits: { unseenClasses: ['cat'] } },
        leaveOutLines: true,
        leaveOutClasses: true,
      }),
      silent,
      given,
    );
    const reasons = assembled!.leftOut.map(({ file, reason }) => `${file} | ${reason}`);
    const expected = [
      /bad\.csv, line 5 \| "four" for legs \(column B\) of the class "dog" is not a number\. Write a number/,
      /bad\.csv, line 7 \| the class "ant" is described twice/,
      /^README\.txt \| it is next to the class folders\. Move it/,
      /^emu\/ \| the folder holds no pictures\. Add some/,
      /^dog\/ \| the class "dog" has 1 picture but no usable line in .*bad\.csv/,
      /^yak\/ \| the class "yak" has 1 picture but no usable line in .*bad\.csv\. Add one/,
      /^ant\/text\.jpg \| ant\/text\.jpg is text.*Convert it/,
      /^ant\/truncated\.jpg \| ant\/truncated\.jpg cannot be decoded.*copy it again/,
      /^bee\/drawing\.svg \| bee\/drawing\.svg is SVG.*Convert it/,
      /^bee\/huge\.png \| bee\/huge\.png has 30000 × 30000 pixels.*Make it smaller/,
    ];
    expect(reasons).toHaveLength(expected.length);
    expected.forEach((pattern, i) => {
      expect(reasons[i]).toMatch(pattern);
    });
    const dataset = await loadDataset(join(folder, 'bad-out'));
    expect(dataset.features.rows).toBe(13); // 4 + 4 + 4 and the single pixel
    expect(rowsBetween(dataset.features, 0, 13).data.every(Number.isFinite)).toBe(true);
    const report = readFileSync(join(folder, 'bad-out/left-out.csv'), 'utf8');
    expect(report.split('\n')[0]).toBe('file,reason');
    expect(report).toContain('"ant/truncated.jpg"');
  });

  test('an unreadable picture does not change the features of others', async () => {
    const [clean, mixed] = ['clean', 'mixed'].map((name) => join(folder, name));
    for (let i = 0; i < 4; i++)
      for (const place of [clean, mixed])
        for (const name of ['ant', 'bee']) put(join(place, name, `${i}.png`), await numbered(i));
    put(join(mixed, 'bee/zz.jpg'), 'text');
    for (const place of [clean, mixed])
      await extract(request(`${place}-out`, { images: place, out: `${place}-out` }), silent, given);
    expect(bytesIn(`${mixed}-out`)['features.npy']).toEqual(bytesIn(`${clean}-out`)['features.npy']);
  });

  test('an empty folder, a missing one, and nothing that can be read', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    await expect(extract(request('x', { images: empty }), silent, given)).rejects.toThrow(
      /There are no pictures in .*empty\. Put a folder for each class/,
    );
    await expect(
      extract(request('x', { images: join(folder, 'gone') }), silent, given),
    ).rejects.toMatchObject({ code: 'dataset-not-found' });
    const hopeless = join(folder, 'hopeless');
    put(join(hopeless, 'ant/a.jpg'), 'text');
    put(join(hopeless, 'bee/b.jpg'), 'text');
    await expect(extract(request('y', { images: hopeless }), silent, given)).rejects.toThrow(
      /No picture can be used.*ant\/a\.jpg is text/s,
    );
  });

  test('attributes without a header, or of other classes', async () => {
    const headless = put(join(folder, 'headless.csv'), 'ant,6,0.1\n');
    await expect(extract(request('x', { attributes: headless }), silent, given)).rejects.toThrow(
      /must begin with a header line: class/,
    );
    const foreign = put(join(folder, 'foreign.csv'), 'class,legs\nyak,4\n');
    await expect(extract(request('x', { attributes: foreign }), silent, given)).rejects.toThrow(
      /None of the classes of pictures is in .*Its classes are yak; pictures are of ant/,
    );
    // The folder above the one that was meant.
    const deep = join(folder, 'deep');
    put(join(deep, 'photos/yak/a.jpg'), 'text');
    await expect(extract(request('x', { attributes: foreign, images: deep }), silent, given)).rejects.toThrow(
      /deep\/photos holds folders of these classes: name it with --images/,
    );
  });
});
