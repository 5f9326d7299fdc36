/** What confidence costs of a picture's time: answering a row of features with and without it, beside the network that makes the row. */
import { openBackbone } from '../../core/backbone/backbone.js';
import { Extractor } from '../../core/backbone/extractor.js';
import { pictureSize } from '../../core/backbone/picture-tensor.js';
import { readBundle } from '../../core/bundle/read.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable } from '../../core/head/head-table.js';
import { matrix } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { Random } from '../../core/random.js';
import { median } from '../quantiles.js';

const rounds = 200;

export async function noveltyCost(path: string): Promise<string> {
  const bundle = await readBundle(path);
  const features = matrix(1, bundle.manifest.featureMap.width);
  Random.stream(1, 'cost').fillNormal(features.data);
  const time = async (work: () => Promise<unknown>, count: number): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const started = performance.now();
      await work();
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const answering = async (confidence: (typeof bundle)['manifest']['confidence']): Promise<number> => {
    const served = { ...bundle, manifest: { ...bundle.manifest, confidence } };
    const classifier = await Classifier.over(served, HeadTable.ofBundle(bundle), { threads: 1 });
    await classifier.classify(features, { topK: 5 });
    const found = await time(() => classifier.classify(features, { topK: 5 }), rounds);
    await classifier.release();
    return found;
  };
  const [without, withIt] = [await answering(null), await answering(bundle.manifest.confidence)];
  const backbone = await openBackbone(bundle.manifest.backbone?.name, silent);
  const extractor = await Extractor.open(backbone, { threads: 1 });
  const tensor = new Float32Array(pictureSize(backbone.entry.preprocessing));
  await extractor.features(tensor, 1);
  const network = await time(() => extractor.features(tensor, 1), 20);
  await extractor.close();
  const share = (withIt - without) / (network + without);
  return `Confidence takes ${(withIt - without).toFixed(2)} ms beside ${(network + without).toFixed(1)} ms of a picture, on one thread: ${(100 * share).toFixed(1)} % (limit 3 %).`;
}
