/** Processor time of one picture: the network, decoding, and the rest of the server. */
import { openBackbone } from '../../core/backbone/backbone.js';
import { loadCatalogue } from '../../core/backbone/catalogue.js';
import { Extractor } from '../../core/backbone/extractor.js';
import { pictureSize } from '../../core/backbone/picture-tensor.js';
import { decode, prepare } from '../../core/backbone/preprocess.js';
import { silent } from '../../core/progress.js';
import { answered, closedLoop } from '../serving/load.js';
import { childrenOf, commandOf, processorSeconds } from '../serving/process-tree.js';
import { ServerProcess } from '../serving/server-process.js';

interface PictureCost {
  /** Of a run on one thread: a fixed cost, and a cost per picture. */
  readonly runSeconds: number;
  readonly networkSeconds: number;
  readonly decodeSeconds: number;
  /** The whole server, worker and all, for one picture under load. */
  readonly serverSeconds: number;
}

const batch = 8;

/** Processor seconds of this process, all threads, for each of so many repetitions. */
async function processorTime(
  repetitions: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  await work(0); // warm
  const before = process.cpuUsage();
  for (let i = 0; i < repetitions; i++) await work(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / repetitions;
}

/** The default network, or the int8 one that is made of it. */
export const variants = ['fp32', 'int8'] as const;
export type NetworkVariant = (typeof variants)[number];

export async function measurePictures(
  pictures: readonly Uint8Array[],
  count: number,
  variant: NetworkVariant,
): Promise<PictureCost> {
  const name = loadCatalogue().default;
  const backbone = await openBackbone(variant === 'int8' ? `${name}-int8` : name, {
    ...silent,
    note: console.error,
  });
  const { preprocessing } = backbone.entry;
  const network = await Extractor.open(backbone, { threads: 1 });
  const size = pictureSize(preprocessing);
  const one = await prepare(pictures[0], 'picture', preprocessing);
  const full = new Float32Array(batch * size);
  for (let i = 0; i < batch; i++) full.set(one, i * size);
  const ofOne = await processorTime(count / batch, () => network.features(one, 1));
  const ofFull = await processorTime(count / batch, () => network.features(full, batch));
  await network.close();
  const networkSeconds = (ofFull - ofOne) / (batch - 1);
  const decodeSeconds = await processorTime(count, (i) =>
    decode(pictures[i % pictures.length], 'picture', preprocessing, { pixels: 50e6 }),
  );
  const runSeconds = Math.max(0, ofOne - networkSeconds);
  const serverSeconds = await serverTime(pictures, count, variant);
  return { runSeconds, networkSeconds, decodeSeconds, serverSeconds };
}

async function serverTime(
  pictures: readonly Uint8Array[],
  count: number,
  variant: NetworkVariant,
): Promise<number> {
  const server = await ServerProcess.start({ threads: 1, 'backbone-variant': variant });
  // Not the process that fits classes: it starts meanwhile, and has no part in pictures.
  const workers = childrenOf(server.pid).filter((pid) => !commandOf(pid).includes('fitting/worker'));
  const used = (): number => [server.pid, ...workers].reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const clients = 2 * batch; // one batch runs, the next one fills
  await closedLoop(server.url, pictures, { clients, until: (sent) => sent >= 2 * clients });
  const before = used();
  const { outcomes } = await closedLoop(server.url, pictures, { clients, until: (sent) => sent >= count });
  const took = used() - before;
  if (answered(outcomes) < outcomes.length)
    console.warn(
      `  (${outcomes.length - answered(outcomes)} pictures were not answered: the machine is too busy for this)`,
    );
  await server.stop();
  return took / answered(outcomes);
}
