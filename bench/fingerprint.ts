/**
 * How far the features of the built-in pictures move when only kernels change, beside what another precision changes:
 *   npm run bench -- fingerprint
 * Each network runs as it is served, with fused kernels, and operator by operator as its file says. 1 - cosine by picture, least and most.
 */
import { openBackbone, type Backbone } from '../core/backbone/backbone.js';
import { prepare } from '../core/backbone/preprocess.js';
import { builtInPictures } from '../core/backbone/quantisation/check/built-in-pictures.js';
import { cosine } from '../core/backbone/quantisation/check/cosine.js';
import { minFingerprintCosine } from '../core/backbone/quantisation/check/fingerprint.js';
import { halfPrecision } from '../core/backbone/quantisation/half-backbone.js';
import { BoundTensor, Session } from '../core/compute/session.js';
import { fromHalf, toHalf } from '../core/half.js';
import { silent } from '../core/progress.js';

const watcher = { ...silent, note: console.error };
const float = await openBackbone('resnet50-imagenet', watcher);
const int8 = await openBackbone('resnet50-imagenet-int8', watcher);
const { preprocessing } = float.entry;
const { width, height } = preprocessing;

async function features({ model }: Backbone, optimised = true): Promise<Float32Array[]> {
  const session = await Session.open(model, { optimised });
  const rows: Float32Array[] = [];
  for (const { name, bytes } of builtInPictures()) {
    const picture = BoundTensor.floats([1, 3, height, width], await prepare(bytes, name, preprocessing));
    const answers = await session.run({ [session.inputNames[0]]: picture });
    rows.push(answers[session.outputNames[0]].data as Float32Array);
  }
  await session.release();
  return rows;
}

function show(what: string, one: readonly Float32Array[], other: readonly Float32Array[]): void {
  const distances = one.map((row, i) => 1 - cosine(row, other[i]));
  const [least, most] = [Math.min(...distances), Math.max(...distances)].map((value) =>
    value.toExponential(1),
  );
  console.log(`  ${what.padEnd(48)} ${least} to ${most}`);
}

const served = await features(float);
const quantised = await features(int8);
console.log(`1 - cosine of features (the limit is ${(1 - minFingerprintCosine).toFixed(4)})`);
show('float, other kernels', served, await features(float, false));
show('int8, other kernels', quantised, await features(int8, false));
show(
  'float, stored in half precision',
  served,
  served.map((row) => fromHalf(toHalf(row))),
);
show('computed in half precision, beside float', await features(await halfPrecision(float)), served);
show('int8, beside float', quantised, served);
