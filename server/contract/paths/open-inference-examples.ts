import { exampleWords } from '../model-examples.js';
import { modelName } from '../../open-inference/schemas.js';

/** One white pixel, so that "try it out" has something to send. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWP4//8/AAX+Av5Y8msOAAAAAElFTkSuQmCC';

export const modelExample = {
  name: modelName,
  versions: ['5f6c0e7a9b1d'],
  platform: 'onnxruntime_onnx',
  inputs: [
    { name: 'image', datatype: 'BYTES', shape: [-1] },
    { name: 'features', datatype: 'FP32', shape: [-1, 2048] },
  ],
  outputs: [
    { name: 'class', datatype: 'BYTES', shape: [-1, -1] },
    { name: 'probability', datatype: 'FP32', shape: [-1, -1] },
    { name: 'seen', datatype: 'BOOL', shape: [-1, -1] },
    { name: 'verdict', datatype: 'BYTES', shape: [-1, 1] },
    { name: 'novelty', datatype: 'FP32', shape: [-1, 1] },
  ],
  parameters: {
    backbone: 'resnet50-imagenet-int8',
    backbone_sha256: 'e81b288608215f77ed12308b507f1aae3baec86b9d8e94dd9fcb7f43f78cb47b',
    precision: 'int8',
  },
};

export const inferExamples = {
  requests: {
    picture: {
      summary: 'A picture in base64',
      value: {
        id: '42',
        parameters: { top_k: 2 },
        inputs: [{ name: 'image', datatype: 'BYTES', shape: [1], data: [pixel] }],
        outputs: [{ name: 'class' }, { name: 'probability' }, { name: 'verdict' }],
      },
    },
    bytes: {
      summary: 'The JSON in front of the bytes of a picture',
      value: {
        parameters: { top_k: 2, binary_data_output: true },
        inputs: [{ name: 'image', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 51234 } }],
      },
    },
  },
  answer: {
    model_name: modelName,
    model_version: '5f6c0e7a9b1d',
    id: '42',
    parameters: { registry_revision: 12, calibrated: true },
    outputs: [
      { name: 'class', datatype: 'BYTES', shape: [1, 2], data: [exampleWords.unseen, exampleWords.seen] },
      { name: 'probability', datatype: 'FP32', shape: [1, 2], data: [0.91, 0.06] },
      { name: 'verdict', datatype: 'BYTES', shape: [1, 1], data: ['known'] },
    ],
  },
};
