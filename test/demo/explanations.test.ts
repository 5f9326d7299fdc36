/** Whether explanations are true: what is read from pictures of drawn flags, against the descriptions of these flags. Skipped where the backbone cannot be had. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Claims, Tally } from '../../bench/explanations/claims.js';
import { openBackbone } from '../../core/backbone/backbone.js';
import { extractFeatures } from '../../core/backbone/extract-features.js';
import { readBundle } from '../../core/bundle/read.js';
import { Failure } from '../../core/failures.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable } from '../../core/head/head-table.js';
import { readingRows } from '../../core/head/reading-rows.js';
import { silent } from '../../core/progress.js';
import { drawPictures, planPictures } from '../../demo/flags/pictures.js';

const backbone = await openBackbone(undefined, silent).catch((error: unknown) => {
  if (error instanceof Failure && error.code === 'backbone-unavailable') return null;
  throw error;
});

test.runIf(backbone)(
  'of what explanations of right answers call present, the class has at least 90 %',
  async () => {
    const bundle = await readBundle(fileURLToPath(new URL('../../models/demo', import.meta.url)));
    const planned = planPictures({ train: 0, testSeen: 1, testUnseen: 2 });
    const letters = planned.filter(({ split }) => split === 'test-unseen');
    const invented = planned.filter(({ split }) => split === 'test-seen').slice(0, letters.length);
    // Drawn with a seed of their own: training saw none of them.
    const pictures = await drawPictures([...invented, ...letters], 11, silent);
    const { features } = await extractFeatures(pictures, { backbone: backbone! });
    const served = { ...bundle, replay: readingRows(bundle.replay) };
    const classifier = await Classifier.over(served, HeadTable.ofBundle(bundle), { threads: 1 });
    const answers = await classifier.classify(features, { topK: 1, explain: true });
    await classifier.release();
    const claims = new Claims(bundle.manifest);
    const tally = new Tally();
    const right = { seen: 0, unseen: 0 };
    answers.forEach(({ predictions: [{ class: name, seen }], explanation }, i) => {
      if (name !== pictures[i].flag.name) return;
      right[seen ? 'seen' : 'unseen'] += 1;
      const present = explanation!.attributes.filter((one) => one.present === true);
      tally.add(present.map(({ attribute }) => claims.has(name, attribute)));
    });
    for (const [kind, count] of Object.entries(right))
      expect(count, kind).toBeGreaterThan(letters.length / 2);
    expect(tally.perPicture).toBeGreaterThan(2); // who claims nothing is never wrong
    expect(tally.share).toBeGreaterThanOrEqual(0.9);
  },
  300_000,
);
