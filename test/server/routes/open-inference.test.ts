import { beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import type { ClassifyResponse } from '../../../server/contract/schemas.js';
import {
  inferResponseSchema,
  modelMetadataSchema,
  serverMetadataSchema,
  type InferResponse,
} from '../../../server/open-inference/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { floatsOf, image, infer, postBinary, textsOf, withLengths } from '../../support/open-inference.js';
import { numbered } from '../../support/pictures.js';
import { smallFeatureWidth as width, trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
let bundle: Bundle;
let server: TestServer;
let pictures: Buffer[];
beforeAll(async () => {
  ({ bundle } = await trainSmallBundle(folder));
  server = await startTestServer({ bundle: () => bundle });
  pictures = await Promise.all([1, 2, 3].map((number) => numbered(number)));
});

const base64 = (bytes: Buffer) => bytes.toString('base64');

/** The last digits of probabilities depend on which batch a row came into. */
function expectAlike(answer: InferResponse, expected: InferResponse): void {
  const [classes, probabilities] = answer.outputs;
  expect(classes).toEqual(expected.outputs[0]);
  probabilities.data!.forEach((value, i) => {
    expect(value).toBeCloseTo(expected.outputs[1].data![i] as number, 5);
  });
}

/** What POST /classify says about the same picture. */
async function classified(picture: Buffer) {
  const answer = await postBytes(server.url, picture);
  return (answer.body as ClassifyResponse).predictions;
}

describe('the Open Inference Protocol', () => {
  test('tells what server and model are', async () => {
    expect(serverMetadataSchema.parse((await send(`${server.url}/v2`)).body)).toMatchObject({
      name: 'unseen',
      extensions: ['binary_tensor_data'],
    });
    const version = bundle.identity.slice(0, 12);
    const model = modelMetadataSchema.parse((await send(`${server.url}/v2/models/unseen`)).body);
    expect(model).toMatchObject({ name: 'unseen', versions: [version] });
    expect(model.inputs).toContainEqual({ name: 'features', datatype: 'FP32', shape: [-1, width] });
    expect((await send(`${server.url}/v2/models/unseen/versions/${version}`)).body).toEqual(model);
  });

  test('is live and ready', async () => {
    expect((await send(`${server.url}/v2/health/live`)).body).toEqual({ live: true });
    expect((await send(`${server.url}/v2/health/ready`)).body).toEqual({ ready: true });
    expect((await send(`${server.url}/v2/models/unseen/ready`)).body).toEqual({
      name: 'unseen',
      ready: true,
    });
  });

  test('pictures in base64 get the same classes as from POST /classify', async () => {
    const { status, body } = await infer(server.url, {
      id: 'my request',
      inputs: [image(pictures.map(base64))],
    });
    expect(status).toBe(200);
    const answer = inferResponseSchema.parse(body);
    expect(answer).toMatchObject({
      id: 'my request',
      model_version: bundle.identity.slice(0, 12),
      parameters: { registry_revision: 0 },
    });
    const expected = (await Promise.all(pictures.map((picture) => classified(picture)))).flat();
    const [names, probabilities, seen] = answer.outputs;
    expect(names).toEqual({
      name: 'class',
      datatype: 'BYTES',
      shape: [3, 5],
      data: expected.map((prediction) => prediction.class),
    });
    expect(seen.data).toEqual(expected.map((prediction) => prediction.seen));
    expected.forEach(({ probability }, i) => {
      expect(probabilities.data![i]).toBeCloseTo(probability, 5);
    });
  });

  test('pictures as bytes behind the JSON get the same answer, as bytes where asked for', async () => {
    const bytes = withLengths(...pictures);
    const input = {
      ...{ name: 'image', datatype: 'BYTES', shape: [3, 1] },
      parameters: { binary_data_size: bytes.length },
    };
    const plain = (
      await infer(server.url, { parameters: { top_k: 2 }, inputs: [image(pictures.map(base64))] })
    ).body;
    const { status, json, tensors } = await postBinary(
      server.url,
      { parameters: { top_k: 2, binary_data_output: true }, inputs: [input] },
      bytes,
    );
    expect(status).toBe(200);
    expect(json.outputs[0]).toMatchObject({ datatype: 'BYTES', shape: [3, 2] });
    expect(textsOf(tensors.class)).toEqual(plain.outputs[0].data);
    floatsOf(tensors.probability).forEach((value, i) => {
      expect(value).toBeCloseTo(plain.outputs[1].data![i] as number, 5);
    });
    expect([...tensors.seen].map(Boolean)).toEqual(plain.outputs[2].data);
    const mixed = await postBinary(
      server.url,
      { inputs: [input], outputs: [{ name: 'seen' }, { name: 'class', parameters: { binary_data: true } }] },
      bytes,
    );
    expect(mixed.json.outputs.map(({ name }) => name)).toEqual(['seen', 'class']);
    expect(mixed.json.outputs[0].data).toHaveLength(15);
    expect(textsOf(mixed.tensors.class)).toHaveLength(15);
  });

  test('features skip the network, flat, nested and as bytes', async () => {
    const rows = [0, 1].map((row) =>
      Array.from({ length: width }, (_, i) => Math.abs(Math.sin(i + 7 * row))),
    );
    const input = { name: 'features', datatype: 'FP32', shape: [2, width] };
    const nested = (await infer(server.url, { inputs: [{ ...input, data: rows }] })).body;
    expect(nested.outputs[0].shape).toEqual([2, 5]);
    expectAlike((await infer(server.url, { inputs: [{ ...input, data: rows.flat() }] })).body, nested);
    const bytes = Buffer.from(Float32Array.from(rows.flat()).buffer);
    const binary = await postBinary(
      server.url,
      { inputs: [{ ...input, parameters: { binary_data_size: bytes.length } }] },
      bytes,
    );
    expectAlike(binary.json, nested);
  });

  test('more classes asked for than there are gives all of them', async () => {
    const { body } = await infer(server.url, {
      parameters: { top_k: 1000 },
      inputs: [image([base64(pictures[0])])],
    });
    expect(body.outputs[0].shape).toEqual([1, bundle.manifest.classes.length]);
    const sum = (body.outputs[1].data as number[]).reduce((total, value) => total + value, 0);
    expect(sum).toBeCloseTo(1, 4);
  });

  test('unseen_bias moves probability between seen and unseen', async () => {
    const [, most] = bundle.manifest.head.unseenBiasRange;
    const { body } = await infer(server.url, {
      parameters: { unseen_bias: most, top_k: 1 },
      inputs: [image([base64(pictures[0])])],
    });
    expect(body.outputs[2].data).toEqual([false]);
  });
});
