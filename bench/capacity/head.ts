/** Processor time of the head for one picture, by the number of classes: feature map, scores, softmax, the best five. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable } from '../../core/head/head-table.js';
import { matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';

interface HeadCost {
  readonly classes: number;
  readonly secondsAlone: number;
  /** For each picture of a full batch, which reads the weights once for all of them. */
  readonly secondsInBatch: number;
}

const batch = 8;

export async function measureHead(bundle: Bundle, classes: number, random: Random): Promise<HeadCost> {
  const { mappedWidth, width } = bundle.manifest.featureMap;
  const table = new HeadTable(mappedWidth, classes);
  const attributes: number[] = [];
  const weights = Float32Array.from({ length: mappedWidth }, () => random.normal());
  for (let c = 0; c < classes; c++) {
    weights[c % mappedWidth] = random.normal(); // a different vector in each row
    table.put({ name: `class ${c}`, seen: false, runtime: true, attributes }, { weights, bias: 0 });
  }
  const classifier = await Classifier.over(bundle, table, { threads: 1 });
  const features = Float32Array.from({ length: batch * width }, () => random.uniform());
  const timed = async (rows: number): Promise<number> => {
    const given = matrix(rows, width, features.subarray(0, rows * width));
    await classifier.classify(given, { topK: 5 }); // warm
    const before = process.cpuUsage();
    let runs = 0;
    const used = (): number => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    };
    while (runs < 3 || used() < 0.5) {
      await classifier.classify(given, { topK: 5 });
      runs += 1;
    }
    return used() / runs / rows;
  };
  const cost = { classes, secondsAlone: await timed(1), secondsInBatch: await timed(batch) };
  await classifier.release();
  return cost;
}
