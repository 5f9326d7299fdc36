/**
 * Where rows of the problem come from. Each source contributes blocks of rows; row-assembly.ts asks every source and lays
 * the blocks out as one problem, so that neither objective nor solver knows which sources there are.
 *
 * Labels count the bundle's classes first, in the manifest's order, and then the runtime classes in the order given.
 * D feature values.
 */
import type { Bundle } from '../../bundle/bundle.js';
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { FeatureMapper } from '../../head/feature-map.js';
import type { Generator } from '../../head/generator.js';
import type { LinearHead } from '../../head/scorer.js';
import type { Matrix } from '../../matrix.js';
import type { EvidenceModel } from '../evidence.js';
import type { PicturesAlone } from '../pictures-alone.js';
import type { FitSettings } from '../fit-settings.js';
import type { RuntimeClass } from '../runtime-class.js';
import type { DonorPool } from './replay-rows.js';
import type { RowBudget } from './row-budget.js';
import type { SyntheticClass } from './synthetic-class.js';

export interface FitRowSource {
  /** The blocks for these classes, which come in the order of their names. A block that has not changed is the same object as before. */
  blocks(classes: readonly RuntimeClass[]): Promise<readonly RowBlock[]>;
}

export type RowBlock = RealBlock | SyntheticBlock;

interface BlockIdentity {
  /**
   * What is known of the rows is cached under this object. Blocks with the same identity have the same rows, or one of
   * them has the first rows of the other.
   */
  readonly identity: object;
}

/** Rows that are features as extracted and mapped, of any class. Made by realBlock() in real-block.ts. */
export interface RealBlock extends BlockIdentity {
  readonly kind: 'real';
  readonly features: Matrix; // (r, D), of unit length
  /** Which feature row each row is: (m). A row that may be of several classes is listed once for each, its weight divided. */
  readonly feature: Int32Array;
  readonly label: Int32Array; // (m)
  /** (m); all real rows of the bundle together weigh 1. */
  readonly weight: Float64Array;
  readonly baseOffsets: Float64Array; // (m): log-sum-exp of the scores over the bundle's classes
}

/** Rows of one class that were synthesised from its attributes. */
export interface SyntheticBlock extends BlockIdentity {
  readonly kind: 'synthetic';
  readonly label: number;
  readonly weight: number; // of all its rows together
  readonly synthetic: SyntheticClass;
}

/** What sources work with. */
export interface RowContext {
  readonly bundle: Bundle;
  readonly settings: FitSettings;
  readonly budget: RowBudget;
  readonly products: MatrixProducts;
  readonly generator: Generator;
  /** The bundle's head, which stays fixed; without the rows of those of its classes that are refitted. Sources see all of it. */
  readonly base: LinearHead;
  /** Positions in the manifest of the bundle's classes that are refitted, because pictures of them were added. */
  readonly refitted: ReadonlySet<number>;
  readonly evidence: EvidenceModel;
  readonly picturesAlone: PicturesAlone;
  /** Features as the network extracts them to those that the head sees. */
  readonly mapper: FeatureMapper;
  /** Those that training had of a few-shot class of the bundle, by its name; null for any other. */
  readonly ownExamples: (name: string) => Matrix | null;
  /** Features of a class's labelled pictures as the head sees them, of unit length; null when it has none. */
  readonly examplesOf: (one: RuntimeClass) => Promise<Matrix | null>;
  readonly donors: DonorPool;
  /** Synthetic rows made of one draw of the generator. */
  readonly rowsPerDraw: number;
  /** Encoded attributes (d) of attributes as given. */
  readonly encode: (attributes: readonly number[]) => Float32Array;
}
