/** Letter flags added to the demonstration's head by their attributes, and read from fresh pictures. Skipped where the backbone cannot be had. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openBackbone } from '../../../core/backbone/backbone.js';
import { extractFeatures } from '../../../core/backbone/extract-features.js';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { Failure } from '../../../core/failures.js';
import { directRows, FeatureMapper } from '../../../core/head/feature-map.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import { servingBiases } from '../../../core/fitting/serving-bias.js';
import { appendHeadRows } from '../../../core/head/head-rows.js';
import { Scorer } from '../../../core/head/scorer.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { drawPictures, planPictures } from '../../../demo/flags/pictures.js';

const backbone = await openBackbone(undefined, silent).catch((error: unknown) => {
  if (error instanceof Failure && error.code === 'backbone-unavailable') return null;
  throw error;
});
const whole = await readBundle(fileURLToPath(new URL('../../../models/demo', import.meta.url)));

/** The bundle as if it had never heard of some of its classes. */
function without(bundle: Bundle, isHidden: (name: string) => boolean): Bundle {
  const kept = Array.from(bundle.bias.keys()).filter((c) => !isHidden(bundle.manifest.classes[c].name));
  const { columns, data } = bundle.weights;
  return {
    ...bundle,
    manifest: { ...bundle.manifest, classes: kept.map((c) => bundle.manifest.classes[c]) },
    weights: matrix(
      kept.length,
      columns,
      Float32Array.from(kept.flatMap((c) => [...data.subarray(c * columns, (c + 1) * columns)])),
    ),
    bias: Float32Array.from(kept, (c) => bundle.bias[c]),
  };
}

async function readLetters(hidden: readonly string[], pictures: number) {
  const bundle = without(whole, (name) => hidden.includes(name));
  const classes = whole.manifest.classes.filter(({ name }) => hidden.includes(name));
  const fitter = await RuntimeFitter.open(bundle);
  const fit = await fitter.fit(classes);
  await fitter.release();
  const names = [...bundle.manifest.classes, ...classes].map(({ name }) => name);
  const head = appendHeadRows(bundle, fit.rows);
  const planned = planPictures({ train: 0, testSeen: 0, testUnseen: pictures });
  const drawn = await drawPictures(
    planned.filter(({ flag }) => hidden.includes(flag.name)),
    7,
    silent,
  );
  const { features } = await extractFeatures(drawn, { backbone: backbone! });
  const { mappedWidth } = bundle.manifest.featureMap;
  const mapper = await FeatureMapper.open(bundle.featureMap, mappedWidth);
  const scorer = await Scorer.open();
  const scores = await scorer.score(head, directRows(await mapper.map(features), 10));
  await mapper.release();
  await scorer.release();
  const biases = servingBiases(bundle.manifest, classes);
  const right = drawn.filter(({ flag }, i) => {
    const biased = rowOf(scores, i).map((score, c) => score + biases[c]);
    return names[biased.indexOf(Math.max(...biased))] === flag.name;
  });
  return right.length / drawn.length;
}

const letters = whole.manifest.classes.filter(({ seen }) => !seen).map(({ name }) => name);

test.skipIf(!backbone)('one letter flag, hidden and then added, is read from its pictures', async () => {
  expect(await readLetters([letters[3]], 6)).toBeGreaterThanOrEqual(0.5); // chance is 1 in 106
});

test.skipIf(!backbone)(
  'all letter flags, hidden and then added, are read as the bundle reads them',
  async () => {
    expect(await readLetters(letters, 2)).toBeGreaterThanOrEqual(0.65);
  },
);
