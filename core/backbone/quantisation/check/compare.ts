/** A network in fewer bits beside the float one that it was made of: how much faster, and how near its features are. */
import { BoundTensor, Session, type Provider } from '../../../compute/session.js';
import type { Backbone } from '../../backbone.js';
import { prepare } from '../../preprocess.js';
import type { BuiltInPicture } from './built-in-pictures.js';
import { cosine } from './cosine.js';
import { mean } from '../../../mean.js';

/** One network: where its file is, or its bytes. */
type ComparedNetwork = Pick<Backbone, 'entry'> & { readonly network: string | Uint8Array };

export interface ComparisonRequest {
  readonly float: ComparedNetwork;
  readonly fewerBits: ComparedNetwork;
  readonly pictures: readonly BuiltInPicture[];
  readonly threads: number;
  readonly provider: Provider;
}

export interface Comparison {
  /** Time of a picture with the float network over that with the other, the median of all pictures. */
  readonly speedUp: number;
  /** Between the features of the two. */
  readonly cosine: { readonly mean: number; readonly least: number };
  /** Where both ran: the CPU where the one that was asked for is missing. */
  readonly provider: Provider;
}

/** Each picture so often: the first time is slower, and does not count. */
const rounds = 3;

export async function compareNetworks(request: ComparisonRequest): Promise<Comparison> {
  const { float, fewerBits, pictures, threads, provider } = request;
  const onFallback = (): void => undefined; // both then run on the CPU, as they would in a worker
  const open = ({ network }: ComparedNetwork): Promise<Session> =>
    Session.open(network, { threads, provider, onFallback });
  const sessions = [await open(float), await open(fewerBits)];
  const ratios: number[] = [];
  const cosines: number[] = [];
  try {
    for (const { name, bytes } of pictures) {
      const tensor = await tensorOf(float, bytes, name);
      for (let round = 0; round < rounds; round++) {
        const [slow, fast] = [await timed(sessions[0], tensor), await timed(sessions[1], tensor)];
        if (round > 0) ratios.push(slow.milliseconds / fast.milliseconds);
        else cosines.push(cosine(slow.features, fast.features));
      }
    }
  } finally {
    for (const session of sessions) await session.release();
  }
  const middle = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)];
  const [{ provider: used }] = sessions;
  return { speedUp: middle, cosine: { mean: mean(cosines), least: Math.min(...cosines) }, provider: used };
}

/** As large as the batch that the graph may fix, with the picture in each place. */
async function tensorOf({ entry }: ComparedNetwork, bytes: Uint8Array, name: string): Promise<BoundTensor> {
  const { preprocessing, fixedBatch } = entry;
  const { layout, width, height } = preprocessing;
  const picture = await prepare(bytes, name, preprocessing);
  const batch = fixedBatch ?? 1;
  const data = new Float32Array(batch * picture.length);
  for (let at = 0; at < data.length; at += picture.length) data.set(picture, at);
  return BoundTensor.floats(layout === 'nchw' ? [batch, 3, height, width] : [batch, height, width, 3], data);
}

async function timed(
  session: Session,
  tensor: BoundTensor,
): Promise<{ milliseconds: number; features: Float32Array }> {
  const started = performance.now();
  const answers = await session.run({ [session.inputNames[0]]: tensor });
  const milliseconds = performance.now() - started;
  return { milliseconds, features: answers[session.outputNames[0]].data as Float32Array };
}
