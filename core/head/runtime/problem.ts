/**
 * The rows of runtime classes as a convex problem, the rows of all other classes fixed:
 *
 *   sum_i w_i ( log( exp(o_i) + sum_k exp(s_ik) ) - s_i,y(i) )  +  regularisation / 2 |V - V0|^2,   s_ik = v_k . h_i + b_k
 *
 * V (K, D), b (K) the rows looked for, V0 their prototypes; h_i rows of length T; o_i the log-sum-exp of row i over the
 * classes that stay fixed: the one number through which they enter. It is the trainer's objective, multiplied so that
 * all real rows together weigh 1: a class then weighs the same however many classes there are.
 *
 * Rows are never laid out. With x unit real rows (R, D), c class means of such rows (S, D), g unit draws (P, D):
 *   real       h_i = T x_i
 *   synthetic  h_i = t_i (l g_d(i) + residual (x_e(i) - c_e(i))),   t_i such that |h_i| = T; e(i) is who lends
 * so x V', c V' and g V' give the scores of any number of synthetic rows, and a class costs its few draws.
 */
import type { Matrix } from '../../matrix.js';

export interface DataRows {
  readonly real: Matrix; // (R, D): x
  /** So many real rows, the first, stand for themselves; the others only lend. */
  readonly standing: number;
  readonly means: Matrix; // (S, D): c
  readonly meanOf: Int32Array; // (R), which mean is a real row's own
  readonly draws: Matrix; // (P, D): g
  /** Of the synthetic rows, in order: n - standing. */
  readonly draw: Int32Array; // d(i)
  readonly lender: Int32Array; // e(i)
  readonly scale: Float32Array; // t_i
  /** Of all rows, real ones that stand for themselves first: n. */
  readonly owner: Int32Array; // the class, an index into the bundle's classes and then the runtime classes in order
  readonly share: Float64Array; // w_i
  readonly temperature: number; // T
  readonly residual: number;
  readonly length: number; // l
}

export interface FitProblem {
  readonly data: DataRows;
  /** Which of the K classes looked for each class is, -1 for one that stays fixed. */
  readonly columnOf: Int32Array;
  readonly offsets: Float64Array; // (n): o_i
  readonly prior: Matrix; // (K, D)
  readonly regularisation: number;
  /** Mean weight of a class looked for: what its bias weighs. */
  readonly mass: number;
}
