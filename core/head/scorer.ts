/**
 * Scores of directed features against a linear softmax head: h W' + b. The weights are an input of the graph, so that
 * a head with one class more needs no new session.
 */
import { Graph } from '../compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, type Matrix } from '../matrix.js';

export interface LinearHead {
  readonly weights: Matrix; // (C, D)
  readonly bias: Float32Array; // (C)
}

export class Scorer {
  private constructor(private readonly session: Session) {}

  static async open(options: SessionOptions = {}): Promise<Scorer> {
    const graph = new Graph('head');
    const features = graph.input('features', ['rows', 'width']);
    const weights = graph.input('weights', ['classes', 'width']);
    const bias = graph.input('bias', [1, 'classes']);
    const scores = graph.add(graph.matmul(features, weights, { transposeB: true }), bias);
    return new Scorer(await Session.open(graph.encode({ scores }), options));
  }

  /** (rows, C) for directed features (rows, D). */
  async score(head: LinearHead, features: Matrix): Promise<Matrix> {
    const classes = head.weights.rows;
    const scores = matrix(features.rows, classes);
    await this.session.run(
      {
        features: BoundTensor.floats([features.rows, features.columns], features.data),
        weights: BoundTensor.floats([classes, head.weights.columns], head.weights.data),
        bias: BoundTensor.floats([1, classes], head.bias),
      },
      { scores: BoundTensor.floats([features.rows, classes], scores.data) },
    );
    return scores;
  }

  release(): Promise<void> {
    return this.session.release();
  }
}
