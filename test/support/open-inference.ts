/** Requests and answers of the Open Inference Protocol with its binary extension, as KServe's and Triton's clients make them. */

import type { InferResponse } from '../../server/open-inference/schemas.js';

/** An answer or a refusal: which of them is for the test to say. */
type InferBody = InferResponse & { readonly error: string };

interface InferAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: InferBody;
}

interface BinaryAnswer {
  readonly status: number;
  readonly json: InferBody;
  /** The outputs that came as bytes, by name. */
  readonly tensors: Readonly<Record<string, Buffer>>;
}

export const image = (data: readonly string[]) => ({
  name: 'image',
  datatype: 'BYTES',
  shape: [data.length],
  data,
});

export async function infer(serverUrl: string, request: unknown): Promise<InferAnswer> {
  const response = await fetch(`${serverUrl}/v2/models/unseen/infer`, {
    method: 'POST',
    body: typeof request === 'string' ? request : JSON.stringify(request),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as InferBody };
}

export async function postBinary(serverUrl: string, json: object, bytes: Uint8Array): Promise<BinaryAnswer> {
  const header = Buffer.from(JSON.stringify(json));
  const response = await fetch(`${serverUrl}/v2/models/unseen/infer`, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'inference-header-content-length': String(header.length),
    },
    body: Buffer.concat([header, bytes]),
  });
  const body = Buffer.from(await response.arrayBuffer());
  const length = Number(response.headers.get('inference-header-content-length') ?? body.length);
  const answer = JSON.parse(body.subarray(0, length).toString()) as InferBody;
  const tensors: Record<string, Buffer> = {};
  let offset = length;
  for (const { name, parameters } of (answer as Partial<InferBody>).outputs ?? []) {
    if (!parameters) continue;
    tensors[name] = body.subarray(offset, (offset += parameters.binary_data_size));
  }
  if (offset !== body.length) throw new Error(`${body.length - offset} bytes are left over`);
  return { status: response.status, json: answer, tensors };
}

/** BYTES elements: each preceded by its length. */
export function withLengths(...elements: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    elements.flatMap((element) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(element.length);
      return [length, element];
    }),
  );
}

export function textsOf(tensor: Buffer): string[] {
  const texts: string[] = [];
  for (let offset = 0; offset < tensor.length;) {
    const end = offset + 4 + tensor.readUInt32LE(offset);
    texts.push(tensor.toString('utf8', offset + 4, end));
    offset = end;
  }
  return texts;
}

export function floatsOf(tensor: Buffer): number[] {
  return Array.from({ length: tensor.length / 4 }, (_, i) => tensor.readFloatLE(4 * i));
}
