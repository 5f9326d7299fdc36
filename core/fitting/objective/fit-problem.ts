/**
 * The head rows of runtime classes as a convex problem, the head rows of all other classes fixed:
 *
 *   sum_i w_i ( log( exp(o_i) + sum_k exp(s_ik) ) - s_i,y(i) )  +  regularisation / 2 |V - V0|^2,   s_ik = v_k . h_i + b_k
 *
 * V (K, D), b (K) the head rows looked for, V0 the prior (their prototypes); h_i data rows of length T; o_i the log-sum-exp
 * of row i over the classes that stay fixed: the one number through which they enter. It is the trainer's objective,
 * multiplied so that all real rows of the bundle together weigh 1: a class then weighs the same however many there are.
 *
 * Data rows are never stored. With x real features of unit length (R, D), c class means of such rows (S, D), g draws of the
 * generator of unit length (P, D):
 *   real       h_i = T x_r(i)
 *   synthetic  h_i = t_i (l g_d(i) + residual (x_e(i) - c_e(i))),   t_i such that |h_i| = T; e(i) is the donor
 * (where the bundle's rows keep the length that they have, x and g do too, and T and t_i are 1)
 * so x V', c V' and g V' give the scores of any number of synthetic rows, and a class costs its few draws.
 */
import type { Matrix } from '../../matrix.js';

/** n data rows, the first m of them real. */
export interface ProblemRows {
  readonly real: Matrix; // (R, D): x, of real rows and of donors
  readonly means: Matrix; // (S, D): c
  readonly meanOf: Int32Array; // (R): which mean is that of a donor's class
  readonly draws: Matrix; // (P, D): g
  /** Of the real rows: (m). */
  readonly realRow: Int32Array; // r(i)
  /** Of the synthetic rows: (n - m). */
  readonly draw: Int32Array; // d(i)
  readonly donor: Int32Array; // e(i)
  readonly scale: Float32Array; // t_i
  /** Of all rows: (n). */
  readonly label: Int32Array; // y(i), an index into the bundle's classes and then the runtime classes in order
  readonly weight: Float64Array; // w_i
  readonly temperature: number; // T
  readonly typicalLength: number; // of the part of a data row that its class explains: it sets the scale of the solver's steps
  readonly residual: number;
  readonly length: number; // l
}

export interface FitProblem {
  readonly rows: ProblemRows;
  /** Which of the K classes looked for each class is, -1 for one that stays fixed. */
  readonly columnOf: Int32Array;
  readonly offsets: Float64Array; // (n): o_i
  readonly prior: Matrix; // (K, D): V0
  readonly regularisation: number;
  /** Weight of the rows of a class looked for: it sets the scale of its bias. */
  readonly classWeight: number;
  /** False where every b_k is 0, as in the bundle's own fit. */
  readonly intercepts: boolean;
}
