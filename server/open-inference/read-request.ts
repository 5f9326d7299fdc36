/** From a body to a checked request: the JSON, and behind it, with the binary extension, the bytes of tensors. */
import { Failure } from '../../core/failures.js';
import { matrix, type Matrix } from '../../core/matrix.js';
import { validate } from '../http/validate.js';
import { refuseDeep, refuseLongLists } from './long-lists.js';
import { refused } from './refused.js';
import { inferRequestSchema, type InferInput, type InferRequest } from './schemas.js';
import { binaryElements, binaryFloats, jsonElements, jsonFloats } from './tensors.js';

interface InferLimits {
  readonly pictures: number;
  readonly rows: number;
  /** Values in a row of features, as the model wants them. */
  readonly width: number;
}

export type InferContent = { readonly pictures: readonly Uint8Array[] } | { readonly features: Matrix };

export interface ReadRequest {
  readonly request: InferRequest;
  readonly content: InferContent;
}

/** `headerLength` is the Inference-Header-Content-Length header: where the JSON ends and the bytes begin. */
export function readInferRequest(
  body: Buffer,
  headerLength: string | undefined,
  limits: InferLimits,
): ReadRequest {
  const length = headerLength === undefined ? body.length : jsonLength(headerLength, body.length);
  refuseDeep(body.subarray(0, length));
  const given = parse(body.subarray(0, length));
  refuseLongLists(given);
  const request = validate(inferRequestSchema, given, 'inference request');
  return { request, content: contentOf(request.inputs[0], body.subarray(length), limits) };
}

/** That it is a number, and not too large, was checked before the body was read: see body-limit.ts. */
function jsonLength(text: string, max: number): number {
  if (Number(text) <= max) return Number(text);
  throw new Failure(
    'request-invalid',
    `Inference-Header-Content-Length must be the length of the JSON, at most that of the body (${max}), not "${text}".`,
  );
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch (error) {
    const hint = 'Pictures themselves are taken by POST /classify, or here in base64, or behind the JSON.';
    throw new Failure('request-invalid', `The inference request is not JSON. ${hint}`, { cause: error });
  }
}

function contentOf(input: InferInput, bytes: Buffer, limits: InferLimits): InferContent {
  const size = input.parameters?.binary_data_size;
  if (size === undefined && input.data === undefined)
    throw refused('', 'it has neither data nor parameters.binary_data_size');
  if (size !== undefined && input.data !== undefined)
    throw refused('/data', 'it has both data and parameters.binary_data_size');
  if (bytes.length !== (size ?? 0))
    throw refused(
      '/parameters/binary_data_size',
      `${bytes.length} bytes follow the JSON, ${size ?? 0} were announced`,
    );
  const rows = input.shape[0];
  if (input.name === 'image') {
    if (input.datatype !== 'BYTES') throw refused('/datatype', '`image` is of datatype BYTES');
    if (input.shape.length === 2 && input.shape[1] !== 1)
      throw refused('/shape', '[n] or [n, 1] is expected');
    checkRows(rows, limits.pictures);
    return { pictures: size === undefined ? jsonElements(input.data, rows) : binaryElements(bytes, rows) };
  }
  const { width } = limits;
  if (input.datatype !== 'FP32') throw refused('/datatype', '`features` is of datatype FP32');
  if (input.shape.length !== 2 || input.shape[1] !== width)
    throw refused('/shape', `[n, ${width}] is expected: this model takes ${width} features for a picture`);
  checkRows(rows, limits.rows);
  const length = rows * width;
  const values = size === undefined ? jsonFloats(input.data, length) : binaryFloats(bytes, length);
  return { features: matrix(rows, width, values) };
}

function checkRows(rows: number, max: number): void {
  if (rows < 1 || rows > max) throw refused('/shape/0', `from 1 to ${max} rows are accepted in one request`);
}
