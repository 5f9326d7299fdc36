/**
 * What is synthesised of one class from its attributes: its prototype, and its synthetic rows in the form of problem.ts.
 * Noise and lenders come from a random stream of the class's own, seeded by its name: whatever else is added, and
 * whenever, a class has the same rows.
 */
import { Failure } from '../../failures.js';
import { matrix, rowOf, stackRows, type Matrix } from '../../matrix.js';
import { Random } from '../../random.js';
import { directRows } from '../feature-map.js';
import type { Generator } from '../generator.js';
import type { LinearHead } from '../scorer.js';
import { addResiduals, drawsPerPrototype, meanDirections, type Lenders } from '../synthetic-rows.js';
import { NoiseOfClasses } from './noise-of-classes.js';
import type { Products } from './products.js';
import type { Recipe } from './recipe.js';

export interface SyntheticClass {
  readonly attributes: Float32Array; // (d), encoded
  readonly prototype: Float32Array; // (D), of unit length
  readonly draws: Matrix; // (rows / rowsPerDraw, D), of unit length
  readonly lenders: Int32Array; // (rows)
  readonly scales: Float32Array; // (rows)
  readonly offsets: Float64Array; // (rows), over the bundle's own classes
}

export interface ClassSource {
  readonly recipe: Recipe;
  readonly generator: Generator;
  readonly products: Products;
  readonly lenders: Lenders;
  readonly base: LinearHead;
  /** Synthetic rows made of one draw. */
  readonly rowsPerDraw: number;
  /** Numbers of noise behind one draw. */
  readonly noiseWidth: number;
}

/** Prototypes one under another: (classes, D). */
export function prototypesOf(classes: readonly SyntheticClass[]): Matrix {
  return stackRows(classes.map(({ prototype }) => matrix(1, prototype.length, prototype)));
}

/** Residuals lent to one draw: they vary far more than the generator does, so draws may be few. */
export const residualsPerDraw = 16;

export interface Described {
  readonly name: string;
  readonly attributes: Float32Array; // (d), encoded
}

/** Rows synthesised at once: enough to keep the processor busy, few enough to keep memory flat. */
export const rowsPerBatch = 2048;

export async function synthesiseClasses(
  source: ClassSource,
  described: readonly Described[],
  count: number,
  purpose: string,
  draws = drawsPerPrototype,
): Promise<SyntheticClass[]> {
  const step = Math.max(1, Math.floor(rowsPerBatch / Math.max(draws, count)));
  const made: SyntheticClass[] = [];
  for (let start = 0; start < described.length; start += step) {
    const batch = described.slice(start, start + step);
    const drawn = await drawClasses(source, batch, purpose, draws);
    const width = drawn.columns;
    const classes = batch.map((one, c) => {
      const own = matrix(draws, width, drawn.data.subarray(c * draws * width, (c + 1) * draws * width));
      // One draw alone would stand for the class by chance; the mean of all draws does not.
      return { ...one, drawn: count > source.rowsPerDraw ? own : meanDirections(own, draws) };
    });
    made.push(...(await classesOfDraws(source, classes, count, purpose)));
  }
  return made;
}

interface DrawnClass extends Described {
  readonly drawn: Matrix; // (draws, D), of unit length
}

export async function classesOfDraws(
  source: ClassSource,
  classes: readonly DrawnClass[],
  count: number,
  purpose: string,
): Promise<SyntheticClass[]> {
  const width = classes[0].drawn.columns;
  const rows = matrix(classes.length * count, width);
  const parts = classes.map(({ name, drawn }, c) => {
    const into = matrix(count, width, rows.data.subarray(c * count * width, (c + 1) * count * width));
    return rowsOfDraws(source, name, drawn, purpose, into);
  });
  const offsets = await source.products.logSumExp(rows, source.base);
  return parts.map((part, c) => ({
    ...part,
    attributes: classes[c].attributes,
    offsets: offsets.slice(c * count, (c + 1) * count),
  }));
}

/** The rows themselves, as the head sees them, beside the numbers that stand for them. */
export async function synthesiseRows(
  source: ClassSource,
  name: string,
  attributes: Float32Array,
  count: number,
  purpose: string,
) {
  const drawn = await drawClasses(source, [{ name, attributes }], purpose, drawsPerPrototype);
  const rows = matrix(count, drawn.columns);
  return { ...rowsOfDraws(source, name, drawn, purpose, rows), rows };
}

/** Draws of unit length, `draws` for each class in turn. */
async function drawClasses(
  { recipe, generator, noiseWidth }: ClassSource,
  classes: readonly Described[],
  purpose: string,
  draws: number,
): Promise<Matrix> {
  const width = classes[0].attributes.length;
  const described = stackRows(classes.map(({ attributes }) => matrix(1, width, attributes)));
  const noise = new NoiseOfClasses(recipe.seed, `${purpose}.noise`, classes, draws * noiseWidth);
  return directRows(await generator.draw(described, [...classes.keys()], draws, noise), 1);
}

/** Rows of one class, written into `rows`, from its draws. */
function rowsOfDraws(
  { recipe, lenders, rowsPerDraw }: ClassSource,
  name: string,
  drawn: Matrix,
  purpose: string,
  rows: Matrix,
) {
  const prototype = meanDirections(drawn, drawn.rows).data;
  if (!prototype.every(Number.isFinite)) {
    throw new Failure(
      'attributes-invalid',
      `The attributes of ${name} do not give finite features. Give a finite number for each attribute.`,
    );
  }
  const count = rows.rows;
  for (let i = 0; i < count; i++) rowOf(rows, i).set(rowOf(drawn, Math.floor(i / rowsPerDraw)));
  const residuals = Random.stream(recipe.seed, `${purpose}.residuals.${name}`);
  const borrowed =
    recipe.residual > 0 ? addResiduals(rows, lenders, recipe.residual, residuals) : new Int32Array(count);
  const scales = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const row = rowOf(rows, i);
    let squares = 0;
    for (let k = 0; k < row.length; k++) squares += row[k] * row[k];
    scales[i] = squares > 0 ? recipe.temperature / Math.sqrt(squares) : 0;
  }
  directRows(rows, recipe.temperature);
  const used = Math.ceil(count / rowsPerDraw);
  const draws = matrix(used, drawn.columns, drawn.data.slice(0, used * drawn.columns));
  return { prototype, draws, lenders: borrowed, scales };
}
