/** Tensors in an ONNX file: float constants read, and constants of any type written. */
import { writeTensor, type ElementType } from '../compute/onnx-format.js';
import { eachField, encoded, readConstant, type OnnxConstant } from './onnx-file.js';

export interface FloatTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const float32 = 1;

/** Null where it holds no float32. */
export function readFloats({ raw, shape, isElsewhere }: Pick<OnnxConstant, 'raw' | 'shape' | 'isElsewhere'>) {
  let type = 0;
  let bytes: Uint8Array | null = null;
  const listed: number[] = [];
  eachField(raw, (tag, reader) => {
    if (tag === 2) type = reader.readVarint();
    else if (tag === 4) reader.readPackedFloat(listed);
    else if (tag === 9) bytes = reader.readBytes();
  });
  if (type !== float32 || isElsewhere) return null;
  // A copy is aligned; the bytes in a file start anywhere.
  const content = bytes as Uint8Array | null;
  const values = content ? new Float32Array(new Uint8Array(content).buffer) : Float32Array.from(listed);
  return { shape, values } satisfies FloatTensor;
}

export function makeConstant(
  name: string,
  type: ElementType,
  shape: readonly number[],
  data: Float32Array | Uint16Array | Int8Array | Uint8Array | Int32Array,
): OnnxConstant {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return readConstant(encoded(writeTensor, { name, type, shape, bytes }));
}
