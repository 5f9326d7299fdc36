/** What a variable of a MAT-file can hold here. MATLAB is column-major: the first dimension runs fastest. */
export type MatValue = MatNumbers | MatText | MatCells;

export type NumericArray =
  Float64Array | Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

export interface MatNumbers {
  readonly kind: 'numbers';
  readonly dimensions: readonly number[];
  /** As stored: MATLAB keeps whole doubles in a narrower type. */
  readonly values: NumericArray;
}

export interface MatText {
  readonly kind: 'text';
  readonly dimensions: readonly number[];
  /** One string per row of the char array. */
  readonly rows: readonly string[];
}

interface MatCells {
  readonly kind: 'cells';
  readonly dimensions: readonly number[];
  readonly cells: readonly MatValue[];
}
