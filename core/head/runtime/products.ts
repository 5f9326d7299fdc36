/**
 * The products that fitting runtime classes cannot do without, as sessions whose operands are all inputs: a class more
 * never builds a session anew. n rows, D features, K classes.
 */
import { Graph } from '../../compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../../compute/session.js';
import { matrix, type Matrix } from '../../matrix.js';
import type { LinearHead } from '../scorer.js';

/** Scores held at once when only their log-sum-exp is wanted. */
const scoresPerRun = 1 << 22;

export class Products {
  private constructor(
    private readonly plainSession: Session,
    private readonly forwardSession: Session,
    private readonly backwardSession: Session,
    private readonly logSumExpSession: Session,
  ) {}

  static async open(options: SessionOptions = {}): Promise<Products> {
    const open = (build: (graph: Graph) => Uint8Array) => Session.open(build(new Graph('products')), options);
    return new Products(await open(plain), await open(forward), await open(backward), await open(logSumExp));
  }

  /** rows (n, D) weights' (D, K). */
  async forward(rows: Matrix, weights: Matrix, into = matrix(rows.rows, weights.rows)): Promise<Matrix> {
    if (rows.rows === 0) return into;
    // One class is a vector, whichever way it lies: with nothing to transpose, the product takes a half of the time or less.
    if (weights.rows === 1) {
      const column = BoundTensor.floats([weights.columns, 1], weights.data);
      await this.plainSession.run({ left: bound(rows), right: column }, { product: bound(into) });
    } else
      await this.forwardSession.run({ rows: bound(rows), weights: bound(weights) }, { scores: bound(into) });
    return into;
  }

  /** slopes' (K, n) rows (n, D). */
  async backward(slopes: Matrix, rows: Matrix, into = matrix(slopes.columns, rows.columns)): Promise<Matrix> {
    if (rows.rows === 0) return into;
    if (slopes.columns === 1) {
      const row = BoundTensor.floats([1, slopes.rows], slopes.data);
      await this.plainSession.run({ left: row, right: bound(rows) }, { product: bound(into) });
    } else
      await this.backwardSession.run({ slopes: bound(slopes), rows: bound(rows) }, { gradient: bound(into) });
    return into;
  }

  /** For each row, as the head sees it, the log of the sum of the exponentials of its scores. */
  async logSumExp(rows: Matrix, head: LinearHead): Promise<Float64Array> {
    const classes = head.weights.rows;
    const sums = matrix(rows.rows, 1);
    const step = Math.max(1, Math.floor(scoresPerRun / classes));
    for (let start = 0; start < rows.rows; start += step) {
      const count = Math.min(step, rows.rows - start);
      const part = rows.data.subarray(start * rows.columns, (start + count) * rows.columns);
      await this.logSumExpSession.run(
        {
          rows: BoundTensor.floats([count, rows.columns], part),
          weights: bound(head.weights),
          bias: BoundTensor.floats([1, classes], head.bias),
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
  const [slopes, rows] = [graph.input('slopes', ['n', 'classes']), graph.input('rows', ['n', 'width'])];
  return graph.encode({ gradient: graph.matmul(slopes, rows, { transposeA: true }) });
}

function logSumExp(graph: Graph): Uint8Array {
  const [rows, weights] = [graph.input('rows', ['n', 'width']), graph.input('weights', ['classes', 'width'])];
  const bias = graph.input('bias', [1, 'classes']);
  const scores = graph.add(graph.matmul(rows, weights, { transposeB: true }), bias);
  const most = graph.max(scores, [1]);
  const sum = graph.sum(graph.exp(graph.subtract(scores, most)), [1]);
  return graph.encode({ sums: graph.add(most, graph.log(sum)) });
}

function bound({ rows, columns, data }: Matrix): BoundTensor {
  return BoundTensor.floats([rows, columns], data);
}
