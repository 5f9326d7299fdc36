/**
 * Scores of features, as headRows() of feature-map.ts gives them, against a linear softmax head: h W' + b. The weights are an input of the graphs, so that
 * a head with one class more needs no new session.
 */
import { Graph } from '../compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, type Matrix } from '../matrix.js';

export interface LinearHead {
  readonly weights: Matrix; // (C, D)
  readonly bias: Float32Array; // (C)
}

/** From this many classes on, a second thread saves more time than waking it takes. */
const minClassesForThreads = 2000;

/** The product with either operand on the left, opened when it is first asked for. */
class ScoreSessions {
  private readonly opened = new Map<Left, Promise<Session>>();

  constructor(private readonly options: SessionOptions) {}

  with(left: Left): Promise<Session> {
    const opened = this.opened.get(left) ?? openSession(left, this.options);
    this.opened.set(left, opened);
    return opened;
  }

  async release(): Promise<void> {
    for (const opened of this.opened.values()) await (await opened).release();
  }
}

/** The rows on the left give (rows, C), the classes (C, rows). */
type Left = 'rows' | 'classes';

export class Scorer {
  private constructor(
    private readonly few: ScoreSessions,
    private readonly many: ScoreSessions,
  ) {}

  /** `ofMany`: options for many classes, where reading all weights for a handful of rows keeps several threads busy. */
  static async open(options: SessionOptions = {}, ofMany = options): Promise<Scorer> {
    const few = new ScoreSessions(options);
    await few.with('rows'); // a runtime that cannot be used fails here
    return new Scorer(few, ofMany === options ? few : new ScoreSessions(ofMany));
  }

  /** (rows, C) for features (rows, D). */
  async score({ weights, bias }: LinearHead, features: Matrix): Promise<Matrix> {
    const { rows, columns: width } = features;
    const classes = weights.rows;
    // The runtime packs the right operand of a product, and for many classes that would cost more than the product itself.
    const isByClass = rows > 1 && classes > rows;
    const shape = isByClass ? [classes, rows] : [rows, classes];
    const products = new Float32Array(rows * classes);
    const sessions = classes < minClassesForThreads ? this.few : this.many;
    const session = await sessions.with(isByClass ? 'classes' : 'rows');
    await session.run(
      {
        features: BoundTensor.floats([rows, width], features.data),
        weights: BoundTensor.floats([classes, width], weights.data),
      },
      { products: BoundTensor.floats(shape, products) },
    );
    const scores = matrix(rows, classes);
    const [rowStep, classStep] = isByClass ? [1, rows] : [classes, 1];
    for (let row = 0, at = 0; row < rows; row++)
      for (let c = 0; c < classes; c++, at++)
        scores.data[at] = products[row * rowStep + c * classStep] + bias[c];
    return scores;
  }

  async release(): Promise<void> {
    for (const sessions of new Set([this.few, this.many])) await sessions.release();
  }
}

function openSession(first: Left, options: SessionOptions): Promise<Session> {
  const graph = new Graph('head');
  const features = graph.input('features', ['rows', 'width']);
  const weights = graph.input('weights', ['classes', 'width']);
  const [left, right] = first === 'rows' ? [features, weights] : [weights, features];
  return Session.open(graph.encode({ products: graph.matmul(left, right, { transposeB: true }) }), options);
}
