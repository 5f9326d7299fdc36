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

/** Residuals lent to one draw: they vary far more than the generator does, so draws may be few. */
export const residualsPerDraw = 16;

export interface Described {
  readonly name: string;
  readonly attributes: Float32Array; // (d), encoded
}

/** Rows synthesised at once: enough to keep the processor busy, few enough to keep memory flat. */
const rowsPerBatch = 2048;

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
    const rows = matrix(batch.length * count, width);
    const parts = batch.map(({ name }, c) => {
      const own = matrix(draws, width, drawn.data.subarray(c * draws * width, (c + 1) * draws * width));
      const into = matrix(count, width, rows.data.subarray(c * count * width, (c + 1) * count * width));
      return rowsOfDraws(source, name, own, purpose, into);
    });
    const offsets = await source.products.logSumExp(rows, source.base);
    parts.forEach((part, c) =>
      made.push({
        ...part,
        attributes: batch[c].attributes,
        offsets: offsets.slice(c * count, (c + 1) * count),
      }),
    );
  }
  return made;
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

/** The same class with the first `count` of its rows. */
export function truncateClass(whole: SyntheticClass, count: number, rowsPerDraw: number): SyntheticClass {
  if (whole.scales.length === count) return whole;
  const { columns, data } = whole.draws;
  const used = Math.ceil(count / rowsPerDraw);
  return {
    ...whole,
    draws: matrix(used, columns, data.subarray(0, used * columns)),
    lenders: whole.lenders.subarray(0, count),
    scales: whole.scales.subarray(0, count),
    offsets: whole.offsets.subarray(0, count),
  };
}
