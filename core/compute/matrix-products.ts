/**
 * Matrix products as sessions whose operands are all inputs: a matrix with one row more needs no new session.
 * n rows, D features, K classes.
 */
import { matrix, type Matrix } from '../matrix.js';
import { Graph } from './graph.js';
import { BoundTensor, Session, type SessionOptions } from './session.js';

/** Scores held at once when only their log-sum-exp is wanted. */
const scoresPerRun = 1 << 22;

export class MatrixProducts {
  private constructor(
    private readonly plainSession: Session,
    private readonly forwardSession: Session,
    private readonly backwardSession: Session,
    private readonly logSumExpSession: Session,
  ) {}

  static async open(options: SessionOptions = {}): Promise<MatrixProducts> {
    const open = (build: (graph: Graph) => Uint8Array) => Session.open(build(new Graph('products')), options);
    return new MatrixProducts(
      await open(plain),
      await open(forward),
      await open(backward),
      await open(logSumExp),
    );
  }

  /** rows (n, D) weights' (D, K). */
  async forward(rows: Matrix, weights: Matrix, into = matrix(rows.rows, weights.rows)): Promise<Matrix> {
    if (rows.rows === 0) return into;
    // One class is a vector, which needs no transposing: the product then takes half of the time or less.
    if (weights.rows === 1) {
      const column = BoundTensor.floats([weights.columns, 1], weights.data);
      await this.plainSession.run({ left: bound(rows), right: column }, { product: bound(into) });
    } else
      await this.forwardSession.run({ rows: bound(rows), weights: bound(weights) }, { scores: bound(into) });
    return into;
  }

  /** The way back: scoreGradients' (K, n) rows (n, D). */
  async backward(
    scoreGradients: Matrix, // (n, K)
    rows: Matrix,
    into = matrix(scoreGradients.columns, rows.columns),
  ): Promise<Matrix> {
    if (rows.rows === 0) return into;
    if (scoreGradients.columns === 1) {
      const row = BoundTensor.floats([1, scoreGradients.rows], scoreGradients.data);
      await this.plainSession.run({ left: row, right: bound(rows) }, { product: bound(into) });
    } else
      await this.backwardSession.run(
        { scoreGradients: bound(scoreGradients), rows: bound(rows) },
        { gradient: bound(into) },
      );
    return into;
  }

  /** For each row the log of the sum over classes of exp(rows weights' + bias): (n). */
  async logSumExp(
    rows: Matrix,
    { weights, bias }: { readonly weights: Matrix; readonly bias: Float32Array }, // (K, D), (K)
  ): Promise<Float64Array> {
    const classes = weights.rows;
    const sums = matrix(rows.rows, 1);
    const step = Math.max(1, Math.floor(scoresPerRun / classes));
    for (let start = 0; start < rows.rows; start += step) {
      const count = Math.min(step, rows.rows - start);
      const part = rows.data.subarray(start * rows.columns, (start + count) * rows.columns);
      await this.logSumExpSession.run(
        {
          rows: BoundTensor.floats([count, rows.columns], part),
          weights: bound(weights),
          bias: BoundTensor.floats([1, classes], bias),
        },
        { sums: BoundTensor.floats([count, 1], sums.data.subarray(start, start + count)) },
      );
    }
    return Float64Array.from(sums.data);
  }

  async release(): Promise<void> {
    const { plainSession, forwardSession, backwardSession, logSumExpSession } = this;
    for (const session of [plainSession, forwardSession, backwardSession, logSumExpSession])
      await session.release();
  }
}

function plain(graph: Graph): Uint8Array {
  const [left, right] = [graph.input('left', ['n', 'inner']), graph.input('right', ['inner', 'm'])];
  return graph.encode({ product: graph.matmul(left, right) });
}

function forward(graph: Graph): Uint8Array {
  const [rows, weights] = [graph.input('rows', ['n', 'width']), graph.input('weights', ['classes', 'width'])];
  return graph.encode({ scores: graph.matmul(rows, weights, { transposeB: true }) });
}

function backward(graph: Graph): Uint8Array {
  const scoreGradients = graph.input('scoreGradients', ['n', 'classes']);
  const rows = graph.input('rows', ['n', 'width']);
  return graph.encode({ gradient: graph.matmul(scoreGradients, rows, { transposeA: true }) });
}

function logSumExp(graph: Graph): Uint8Array {
  const [rows, weights] = [graph.input('rows', ['n', 'width']), graph.input('weights', ['classes', 'width'])];
  const bias = graph.input('bias', [1, 'classes']);
  const scores = graph.add(graph.matmul(rows, weights, { transposeB: true }), bias);
  const max = graph.max(scores, [1]);
  const sum = graph.sum(graph.exp(graph.subtract(scores, max)), [1]);
  return graph.encode({ sums: graph.add(max, graph.log(sum)) });
}

function bound({ rows, columns, data }: Matrix): BoundTensor {
  return BoundTensor.floats([rows, columns], data);
}
