import { matrix, type Matrix } from '../../core/matrix.js';
import { float32Of, stringsOf } from './mat5/convert-values.js';
import type { MatNumbers, MatValue } from './mat5/values.js';

/** Reads variables and collects everything that is missing or of the wrong kind, so that it is reported together. */
export class VariableReader {
  readonly problems: string[] = [];

  constructor(private readonly paths: ReadonlyMap<ReadonlyMap<string, MatValue>, string>) {}

  /** MATLAB's column-major (columns, rows) is our row-major (rows, columns): the values stay where they are. */
  transposed(values: ReadonlyMap<string, MatValue>, name: string): Matrix {
    const value = this.numbers(values, name);
    if (!value) return matrix(0, 0);
    const [columns, rows] = value.dimensions;
    if (value.dimensions.length !== 2) this.report(values, name, 'is not a matrix');
    return value.dimensions.length === 2 ? matrix(rows, columns, float32Of(value)) : matrix(0, 0);
  }

  /** 1-based in the file, 0-based here. */
  indices(values: ReadonlyMap<string, MatValue>, name: string): Int32Array {
    const value = this.numbers(values, name);
    if (!value) return new Int32Array();
    const indices = new Int32Array(value.values.length);
    for (let i = 0; i < indices.length; i++) {
      const index = value.values[i];
      if (!Number.isInteger(index) || index < 1 || index > 0x7fffffff) {
        this.report(values, name, `holds ${index} at position ${i + 1}; it must hold numbers from 1 up`);
        break;
      }
      indices[i] = index - 1;
    }
    return indices;
  }

  strings(values: ReadonlyMap<string, MatValue>, name: string): string[] {
    const value = values.get(name);
    const strings = value ? stringsOf(value) : null;
    if (!value) this.report(values, name, 'is missing');
    else if (!strings) this.report(values, name, 'is not a list of strings');
    return strings ?? [];
  }

  private numbers(values: ReadonlyMap<string, MatValue>, name: string): MatNumbers | null {
    const value = values.get(name);
    if (value?.kind === 'numbers') return value;
    this.report(values, name, value ? 'does not hold numbers' : 'is missing');
    return null;
  }

  private report(values: ReadonlyMap<string, MatValue>, name: string, what: string): void {
    this.problems.push(`the variable "${name}" of ${this.paths.get(values) ?? ''} ${what}`);
  }
}
