/**
 * What is synthesised of one class from its attributes: its prototype, and its synthetic rows in the form of
 * objective/fit-problem.ts. Noise and donors come from a random stream of the class's own, seeded by its name: whatever
 * else is added, and whenever, a class has the same rows.
 */
import { Failure } from '../../failures.js';
import { headRows } from '../../head/feature-map.js';
import { addResiduals, drawsPerPrototype, seenPrototype } from '../../head/synthetic-rows.js';
import { matrix, rowOf, stackRows, type Matrix } from '../../matrix.js';
import { Random } from '../../random.js';
import { ClassNoise } from './class-noise.js';
import { meanOf, moveToPictures, type GivenPictures } from './move-to-pictures.js';
import type { RowContext } from './row-source.js';

export interface SyntheticClass {
  readonly attributes: Float32Array; // (d), encoded
  readonly prototype: Float32Array; // (D), of unit length; the mean of the draws where rows keep their length
  /** (rows / rowsPerDraw, D), of unit length unless rows keep their own. The assembly replaces it by a view of the same numbers, so that there is one copy. */
  draws: Matrix;
  readonly donors: Int32Array; // (rows)
  readonly scales: Float32Array; // (rows)
  readonly baseOffsets: Float64Array; // (rows): log-sum-exp of the scores over the bundle's classes
}

/** The share of attributes that are known: NaN stands for one that is not. */
export function knownShareOf(attributes: readonly number[]): number {
  return attributes.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0) / attributes.length;
}

/** Prototypes one under another: (classes, D). */
export function prototypesOf(classes: readonly SyntheticClass[]): Matrix {
  return stackRows(classes.map(({ prototype }) => matrix(1, prototype.length, prototype)));
}

/** Synthetic rows that share one draw. Residuals vary far more than the generator does, so draws may be few. */
export const residualsPerDraw = 16;

export interface ClassToSynthesise extends GivenPictures {
  readonly name: string;
  readonly attributes: Float32Array; // (d), encoded
  /** The mean of its real rows, for a class that training had pictures of: (D). */
  readonly realMean?: Float32Array | undefined;
}

/** Rows synthesised at once: enough to keep the processor busy, few enough to keep memory flat. */
export const rowsPerBatch = 1024;

export async function synthesiseClasses(
  context: RowContext,
  described: readonly ClassToSynthesise[],
  count: number,
  purpose: string,
  draws = drawsPerPrototype,
): Promise<SyntheticClass[]> {
  const step = Math.max(1, Math.floor(rowsPerBatch / Math.max(draws, count)));
  const synthesised: SyntheticClass[] = [];
  const width = context.donors.features.columns;
  // Of one batch after the other: what is kept of a batch is copied.
  const most = Math.min(step, described.length);
  const [drawRoom, rowRoom] = [matrix(most * draws, width), matrix(most * count, width)];
  for (let start = 0; start < described.length; start += step) {
    const batch = described.slice(start, start + step);
    const drawn = await drawClasses(context, batch, purpose, draws, drawRoom);
    const classes = batch.map((one, c) => {
      const own = matrix(draws, width, drawn.data.subarray(c * draws * width, (c + 1) * draws * width));
      moveToPictures(context, own, one);
      // All rows of a class around a single draw would be off by that draw's noise; the mean of all draws is not.
      return { ...one, drawn: count > context.rowsPerDraw ? own : meanOf(context, own) };
    });
    synthesised.push(...(await classesOfDraws(context, classes, count, purpose, rowRoom)));
  }
  return synthesised;
}

interface DrawnClass extends ClassToSynthesise {
  readonly drawn: Matrix; // (draws, D), of unit length unless rows keep their own
}

export async function classesOfDraws(
  context: RowContext,
  classes: readonly DrawnClass[],
  count: number,
  purpose: string,
  room?: Matrix,
): Promise<SyntheticClass[]> {
  const width = classes[0].drawn.columns;
  const rows = firstRows(room, classes.length * count, width);
  const parts = classes.map(({ name, realMean, drawn }, c) => {
    const into = matrix(count, width, rows.data.subarray(c * count * width, (c + 1) * count * width));
    return rowsOfDraws(context, { name, realMean }, drawn, purpose, into);
  });
  const offsets = await context.products.logSumExp(rows, context.base);
  return parts.map((part, c) => ({
    ...part,
    attributes: classes[c].attributes,
    baseOffsets: offsets.slice(c * count, (c + 1) * count),
  }));
}

/** The rows themselves (count, D), as the head sees them, beside the compact form of them. */
export async function synthesiseRows(
  context: RowContext,
  { name, attributes, realMean, examples, assigned, knownShare = 1 }: ClassToSynthesise,
  count: number,
  purpose: string,
  room?: Matrix, // for the draws, of which nothing is kept
) {
  const draws = Math.max(drawsPerPrototype, Math.ceil(count / context.rowsPerDraw)); // without residuals a row needs a draw of its own
  const drawn = await drawClasses(context, [{ name, attributes }], purpose, draws, room);
  moveToPictures(context, drawn, { examples, assigned, knownShare });
  const rows = matrix(count, drawn.columns);
  return { ...rowsOfDraws(context, { name, realMean }, drawn, purpose, rows), rows };
}

/** Draws of unit length (or of their own), `draws` for each class in turn. */
async function drawClasses(
  { bundle, settings, generator }: RowContext,
  classes: readonly ClassToSynthesise[],
  purpose: string,
  draws: number,
  room?: Matrix,
): Promise<Matrix> {
  const width = classes[0].attributes.length;
  const described = stackRows(classes.map(({ attributes }) => matrix(1, width, attributes)));
  const numbersPerClass = draws * bundle.manifest.head.noiseWidth;
  const noise = new ClassNoise(settings.seed, `${purpose}.noise`, classes, numbersPerClass);
  const target = room && firstRows(room, classes.length * draws, room.columns);
  const drawn = await generator.draw(described, [...classes.keys()], draws, noise, target);
  return headRows(drawn, settings.temperature === null ? null : 1);
}

/** Of memory that is there already, or of its own. */
function firstRows(room: Matrix | undefined, rows: number, columns: number): Matrix {
  return room && room.rows >= rows
    ? matrix(rows, columns, room.data.subarray(0, rows * columns))
    : matrix(rows, columns);
}

/** Rows of one class, written into `rows`, from its draws. */
function rowsOfDraws(
  context: RowContext,
  { name, realMean }: Pick<ClassToSynthesise, 'name' | 'realMean'>,
  drawn: Matrix,
  purpose: string,
  rows: Matrix,
) {
  const { settings, donors, rowsPerDraw } = context;
  const generated = meanOf(context, drawn).data;
  const prototype = realMean ? seenPrototype(generated, realMean, settings.realPrior) : generated;
  if (!prototype.every(Number.isFinite)) {
    throw new Failure(
      'attributes-invalid',
      `The attributes of ${name} do not give finite features. Give a finite number for each attribute.`,
    );
  }
  const count = rows.rows;
  for (let i = 0; i < count; i++) rowOf(rows, i).set(rowOf(drawn, Math.floor(i / rowsPerDraw)));
  const random = Random.stream(settings.seed, `${purpose}.residuals.${name}`);
  const donorOfRow =
    settings.residual > 0 ? addResiduals(rows, donors, settings.residual, random) : new Int32Array(count);
  const scales = scalesOf(rows, settings.temperature);
  headRows(rows, settings.temperature);
  const used = Math.ceil(count / rowsPerDraw);
  const draws = matrix(used, drawn.columns, drawn.data.slice(0, used * drawn.columns));
  return { prototype, draws, donors: donorOfRow, scales };
}

/** By what each row is multiplied to have the length that the head sees. */
function scalesOf(rows: Matrix, temperature: number | null): Float32Array {
  const scales = new Float32Array(rows.rows).fill(1);
  if (temperature === null) return scales;
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    let squares = 0;
    for (let k = 0; k < row.length; k++) squares += row[k] * row[k];
    scales[i] = squares > 0 ? temperature / Math.sqrt(squares) : 0;
  }
  return scales;
}
