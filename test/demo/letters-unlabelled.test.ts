/** Pictures of letter flags that nobody labelled, under the demonstration's bundle. Skipped where the backbone cannot be had. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openBackbone } from '../../core/backbone/backbone.js';
import { extractFeatures } from '../../core/backbone/extract-features.js';
import { readBundle } from '../../core/bundle/read.js';
import { Failure } from '../../core/failures.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import { silent } from '../../core/progress.js';
import { drawPictures, planPictures } from '../../demo/flags/pictures.js';

const backbone = await openBackbone(undefined, silent).catch((error: unknown) => {
  if (error instanceof Failure && error.code === 'backbone-unavailable') return null;
  throw error;
});

test.runIf(backbone)(
  'a pool of letters is found to be of unseen classes, one of invented flags is not',
  async () => {
    const bundle = await readBundle(fileURLToPath(new URL('../../models/demo', import.meta.url)));
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    const shareIn = async (isWanted: (name: string) => boolean): Promise<number> => {
      const planned = planPictures({ train: 0, testSeen: 1, testUnseen: 1 }).filter(({ flag }) =>
        isWanted(flag.name),
      );
      const { features } = await extractFeatures(await drawPictures(planned.slice(0, 12), 7, silent), {
        backbone: backbone!,
      });
      return (await fitter.adapt([], features)).unseenShare;
    };
    const unseen = new Set(bundle.manifest.classes.filter(({ seen }) => !seen).map(({ name }) => name));
    expect(await shareIn((name) => unseen.has(name))).toBeGreaterThan(0.6);
    expect(await shareIn((name) => !unseen.has(name))).toBeLessThan(0.3);
    await fitter.release();
  },
  300_000,
);
