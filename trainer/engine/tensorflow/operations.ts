import type * as TensorFlow from '@tensorflow/tfjs';
import type { Operations } from '../contract.js';

export type TF = typeof TensorFlow;
export type TfTensor = TensorFlow.Tensor;

/** Programs as TensorFlow calls: each operation runs as it is read, and TensorFlow's tape differentiates it. */
export function tensorflowOperations(tf: TF): Operations<TfTensor> {
  // TensorFlow.js has no stop_gradient: an identity whose gradient is zero replaces it.
  const identity = (y: TfTensor) => ({ value: y.clone(), gradFunc: (dy: TfTensor) => [tf.zerosLike(dy)] });
  const stopGradient = tf.customGrad(identity as Parameters<TF['customGrad']>[0]);
  const ops: Operations<TfTensor> = {
    shapeOf: (x) => x.shape,
    scalar: (value) => tf.scalar(value),
    constant: (shape, data) => tf.tensor(data, [...shape]),
    matmul: (a, b, options = {}) => tf.matMul(a, b, options.transposeA ?? false, options.transposeB ?? false),
    linear: (x, weight, bias) => tf.add(tf.matMul(x, weight), bias),
    add: (a, b) => tf.add(a, b),
    subtract: (a, b) => tf.sub(a, b),
    multiply: (a, b) => tf.mul(a, b),
    divide: (a, b) => tf.div(a, b),
    relu: (x) => tf.relu(x),
    exp: (x) => tf.exp(x),
    log: (x) => tf.log(x),
    sqrt: (x) => tf.sqrt(x),
    logSoftmax: (x) => tf.logSoftmax(x),
    sum: (x, axes) => tf.sum(x, [...axes], true),
    mean: (x, axes) => tf.mean(x, [...axes], true),
    max: (x, axes) => stopGradient(tf.max(stopGradient(x), [...axes], true)),
    concatenate: (parts, axis) => tf.concat([...parts], axis),
    slice: (x, axis, start, end) => {
      const begin = x.shape.map((_, i) => (i === axis ? start : 0));
      const size = x.shape.map((length, i) => (i === axis ? end - start : length));
      return tf.slice(x, begin, size);
    },
    reshape: (x, shape) => tf.reshape(x, [...shape]),
    stopGradient,
    choose: (condition, then, otherwise) =>
      stopGradient(condition.dataSync()[0] ? then(ops) : otherwise(ops)),
  };
  return ops;
}
