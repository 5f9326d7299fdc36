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

/** The product with either operand on the left. */
interface ScoreSessions {
  readonly byRow: Session; // (rows, C)
  readonly byClass: Session; // (C, rows)
}

export class Scorer {
  private constructor(
    private readonly few: ScoreSessions,
    private readonly many: ScoreSessions,
  ) {}

  /** `ofMany`: options for many classes, where reading all weights for a handful of rows keeps several threads busy. */
  static async open(options: SessionOptions = {}, ofMany = options): Promise<Scorer> {
    const few = await openSessions(options);
    return new Scorer(few, ofMany === options ? few : await openSessions(ofMany));
  }

  /** (rows, C) for features (rows, D). */
  async score({ weights, bias }: LinearHead, features: Matrix): Promise<Matrix> {
    const { rows, columns: width } = features;
    const classes = weights.rows;
    // The runtime packs the right operand of a product, and for many classes that would cost more than the product itself.
    const isByClass = rows > 1 && classes > rows;
    const shape = isByClass ? [classes, rows] : [rows, classes];
    const products = new Float32Array(rows * classes);
    const { byRow, byClass } = classes < minClassesForThreads ? this.few : this.many;
    await (isByClass ? byClass : byRow).run(
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
    for (const { byRow, byClass } of new Set([this.few, this.many])) {
      await byRow.release();
      await byClass.release();
    }
  }
}

async function openSessions(options: SessionOptions): Promise<ScoreSessions> {
  return { byRow: await openSession('row', options), byClass: await openSession('class', options) };
}

function openSession(first: 'row' | 'class', options: SessionOptions): Promise<Session> {
  const graph = new Graph('head');
  const features = graph.input('features', ['rows', 'width']);
  const weights = graph.input('weights', ['classes', 'width']);
  const [left, right] = first === 'row' ? [features, weights] : [weights, features];
  return Session.open(graph.encode({ products: graph.matmul(left, right, { transposeB: true }) }), options);
}
