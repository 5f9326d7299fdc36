import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readKerasModel, type KerasModel } from '../../../core/backbone/keras-model.js';
import { kerasToOnnx } from '../../../core/backbone/keras-to-onnx.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { Random } from '../../../core/random.js';

/** Every layer type that occurs in ResNets, at odd sizes, so that a wrong padding or transposition shows. */
function smallNetwork(): tf.LayersModel {
  const input = tf.input({ shape: [23, 19, 3] });
  const apply = (layer: tf.layers.Layer, x: tf.SymbolicTensor | tf.SymbolicTensor[]): tf.SymbolicTensor =>
    layer.apply(x) as tf.SymbolicTensor;
  const conv = (filters: number, kernelSize: number, strides: number, padding: 'same' | 'valid') =>
    tf.layers.conv2d({ filters, kernelSize, strides, padding, biasInitializer: 'randomNormal' });
  const normal = () => tf.layers.batchNormalization({ epsilon: 0.01 });
  const relu = () => tf.layers.activation({ activation: 'relu' });

  let x = apply(
    tf.layers.zeroPadding2d({
      padding: [
        [3, 2],
        [1, 3],
      ],
    }),
    input,
  );
  x = apply(relu(), apply(normal(), apply(conv(8, 5, 2, 'valid'), x)));
  x = apply(tf.layers.zeroPadding2d({ padding: 1 }), x);
  x = apply(tf.layers.maxPooling2d({ poolSize: 3, strides: 2, padding: 'valid' }), x);
  const shortcut = apply(normal(), apply(conv(12, 1, 1, 'valid'), x));
  x = apply(relu(), apply(normal(), apply(conv(6, 1, 1, 'valid'), x)));
  x = apply(tf.layers.conv2d({ filters: 6, kernelSize: 3, padding: 'same', activation: 'relu' }), x);
  x = apply(normal(), apply(conv(12, 1, 1, 'valid'), x));
  x = apply(relu(), apply(tf.layers.add(), [x, shortcut]));
  x = apply(normal(), x); // with no convolution before it to be folded into
  x = apply(tf.layers.maxPooling2d({ poolSize: 2, strides: 2, padding: 'same' }), x);
  x = apply(conv(10, 3, 2, 'same'), x); // with no normalisation after it
  x = apply(tf.layers.dropout({ rate: 0.5 }), x);
  const pooled = apply(tf.layers.globalAveragePooling2d({ name: 'pooled' }), x);
  const classes = apply(tf.layers.dense({ units: 7, activation: 'softmax', name: 'classes' }), pooled);
  const model = tf.model({ inputs: input, outputs: classes });
  randomise(model);
  return model;
}

/** Statistics of a normalisation start at 0 and 1, which would hide mistakes. */
function randomise(model: tf.LayersModel): void {
  const random = new Random(5);
  for (const layer of model.layers) {
    const isNormalisation = layer.getClassName() === 'BatchNormalization';
    const weights = layer.getWeights().map((weight, i) => {
      const values = random.fillNormal(new Float32Array(weight.size), 0.5);
      if (isNormalisation && i === 3) values.forEach((value, k) => (values[k] = 0.2 + value ** 2)); // variance
      return tf.tensor(values, weight.shape);
    });
    layer.setWeights(weights);
  }
}

async function saved(model: tf.LayersModel): Promise<KerasModel> {
  let artifacts: tf.io.ModelArtifacts | undefined;
  await model.save(
    tf.io.withSaveHandler((given) => {
      artifacts = given;
      return Promise.resolve({ modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' } });
    }),
  );
  const bytes = new Uint8Array(artifacts!.weightData as ArrayBuffer);
  const half = Math.floor(bytes.length / 8) * 4; // two shards, as a large model has many
  const shards: Record<string, Uint8Array> = { a: bytes.subarray(0, half), b: bytes.subarray(half) };
  const text = JSON.stringify({
    modelTopology: artifacts!.modelTopology,
    weightsManifest: [{ paths: ['a', 'b'], weights: artifacts!.weightSpecs }],
  });
  return readKerasModel(text, (path) => shards[path]);
}

function relativeError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let [difference, size] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference += (found[i] - expected[i]) ** 2;
    size += expected[i] ** 2;
  }
  return Math.sqrt(difference / size);
}

beforeAll(async () => {
  await tf.setBackend('cpu');
});

describe('a Keras layers model becomes ONNX', () => {
  test('features and probabilities agree with a run by TensorFlow.js', async () => {
    const model = smallNetwork();
    const outputs = ['pooled', 'classes'].map((name) => model.getLayer(name).output as tf.SymbolicTensor);
    const pictures = new Random(9).fillNormal(new Float32Array(3 * 23 * 19 * 3), 2); // (3, 23, 19, 3)
    const run = tf.model({ inputs: model.inputs, outputs }).predict(tf.tensor4d(pictures, [3, 23, 19, 3]));
    const [features, probabilities] = (run as tf.Tensor[]).map((tensor) => tensor.dataSync());

    const onnx = kerasToOnnx(await saved(model), { featureLayer: 'pooled', classifierLayer: 'classes' });
    const session = await Session.open(onnx, { threads: 1 });
    const planes = new Float32Array(pictures.length); // (3, 3, 23, 19)
    for (let n = 0; n < 3; n++)
      for (let i = 0; i < 23 * 19; i++)
        for (let c = 0; c < 3; c++) planes[(n * 3 + c) * 23 * 19 + i] = pictures[(n * 23 * 19 + i) * 3 + c];
    const found = await session.run({ pictures: BoundTensor.floats([3, 3, 23, 19], planes) });
    await session.release();

    expect(found.features.shape).toEqual([3, 10]);
    expect(relativeError(found.features.data as Float32Array, features)).toBeLessThan(1e-5);
    expect(relativeError(found.probabilities.data as Float32Array, probabilities)).toBeLessThan(1e-5);
  });

  test('the same model gives the same bytes', async () => {
    const model = await saved(smallNetwork());
    const convert = (): Buffer => Buffer.from(kerasToOnnx(model, { featureLayer: 'pooled' }));
    expect(convert().equals(convert())).toBe(true);
  });

  test('a layer that is not known is refused by name', async () => {
    const input = tf.input({ shape: [8, 8, 3] });
    const flat = tf.layers.flatten({ name: 'flat' }).apply(input) as tf.SymbolicTensor;
    const model = await saved(
      tf.model({ inputs: input, outputs: tf.layers.dense({ units: 2 }).apply(flat) as tf.SymbolicTensor }),
    );
    expect(() => kerasToOnnx(model, { featureLayer: 'flat' })).toThrow(/"flat" is a Flatten/);
  });

  test('a feature layer that the model does not have is refused by name', async () => {
    const model = await saved(smallNetwork());
    expect(() => kerasToOnnx(model, { featureLayer: 'nowhere' })).toThrow(/"nowhere" is not in the model/);
  });

  test('zeros around values below zero would count in a maximum: refused, not got wrong', async () => {
    const input = tf.input({ shape: [8, 8, 3] });
    const padded = tf.layers.zeroPadding2d().apply(input) as tf.SymbolicTensor;
    const pooled = tf.layers.maxPooling2d({ poolSize: 2, name: 'most' }).apply(padded) as tf.SymbolicTensor;
    const model = await saved(tf.model({ inputs: input, outputs: pooled }));
    expect(() => kerasToOnnx(model, { featureLayer: 'most' })).toThrow(/"most" takes the maximum/);
  });

  test('weights that are cut off are refused', () => {
    const text = JSON.stringify({
      modelTopology: { class_name: 'Model', config: { layers: [] } },
      weightsManifest: [{ paths: ['a'], weights: [{ name: 'w', shape: [4], dtype: 'float32' }] }],
    });
    expect(() => readKerasModel(text, () => new Uint8Array(12))).toThrow(/end before w/);
  });
});
