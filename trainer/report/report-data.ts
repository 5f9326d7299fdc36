/**
 * What the report of a training run says, as plain JSON: gathered once (gather/), drawn by render/. Accuracies are
 * fractions of 1 and means over classes, as in evaluation/. A part that could not be made is null, and so is a figure
 * for which test rows are missing; the drawing says why.
 */
import type { BiasOrigin } from '../evaluation/bias-origin.js';
import type { BaselineResult, ValidationFigures } from '../baseline/baseline.js';
import type { Evaluation } from '../evaluation/evaluate.js';
import type { AccuracyIntervals, Interval } from '../evaluation/intervals.js';
import type { TestAccuracy } from '../evaluation/metrics.js';
import type { Calibration } from '../evaluation/record-calibration.js';
import type { CurvePoint } from '../evaluation/seen-unseen-curve.js';

/** The part of the baseline's result that bundles of all versions hold; null is what older ones do not. */
export type RememberedBaseline = Pick<
  BaselineResult,
  'unseenAccuracy' | 'seenAccuracy' | 'harmonicMean' | 'standardAccuracy'
> & {
  readonly intervals: AccuracyIntervals | null;
  readonly withoutBias: Pick<TestAccuracy, 'harmonicMean'> | null;
  /** Of seen classes that played unseen; null where nothing was validated, and in older bundles. */
  readonly validation: ValidationFigures | null;
};

export interface ReportData {
  readonly dataset: DatasetFacts;
  readonly model: ModelFacts;
  readonly environment: EnvironmentFacts;
  readonly summary: Omit<Evaluation, 'perClass' | 'calibration'>;
  readonly baseline: RememberedBaseline | null; // ESZSL on the same rows, when the bundle has it
  readonly kernelRidge: RememberedBaseline | null;
  readonly curve: readonly CurvePoint[] | null; // bias ascending; thinned, to keep the file small; null: test rows are missing
  readonly classes: readonly ClassFacts[]; // worst first
  readonly pictures: PicturesOrReason;
  readonly confusion: ConfusionFacts;
  readonly embedding: EmbeddingFacts | null; // null: too few test rows
  readonly syntheticRows: SyntheticRowFacts | null; // null: no unseen classes, or no test rows of them
  readonly importance: ImportanceFacts | null; // null: too few test rows
  readonly history: HistoryFacts | null; // null: the log of the run is missing
  readonly calibration: Calibration | null; // null: the bundle is not calibrated
  readonly validation: readonly ValidationTrial[]; // empty: the bundle does not say
  readonly validationWarning: string | null; // why choices made on validation classes may be poor
  readonly biasOrigin: BiasOrigin | null; // null: the bundle does not say
}

export interface DatasetFacts {
  readonly name: string;
  readonly fingerprint: string;
  /** False when the report is made with other data than the model was trained with. */
  readonly isTrainingData: boolean;
  readonly seenClasses: number;
  readonly unseenClasses: number;
  readonly attributes: number;
  readonly featureWidth: number;
  readonly rows: { readonly train: number; readonly testSeen: number; readonly testUnseen: number };
}

export interface ModelFacts {
  readonly identity: string;
  readonly method: string;
  readonly seed: number;
  readonly backbone: Readonly<Record<string, unknown>> | null;
  readonly settings: readonly Setting[];
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export interface Setting {
  readonly path: string;
  readonly value: string;
  readonly isDefault: boolean;
}

export interface EnvironmentFacts {
  readonly version: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly madeAt: string; // ISO 8601
}

export interface ClassFacts {
  readonly name: string;
  readonly seen: boolean;
  readonly rows: number;
  readonly accuracy: number;
  readonly interval: Interval; // 95 %, of the accuracy
  /** Where most of its lost rows went. */
  readonly mistakenFor: { readonly name: string; readonly seen: boolean; readonly share: number } | null;
}

/** Or why there are none, as half a sentence. */
export type PicturesOrReason = PicturesFacts | { readonly reason: string };

export interface PicturesFacts {
  readonly rows: number;
  readonly wrongRows: number;
  readonly missing: readonly string[]; // pictures that were looked for and could not be read
  readonly leftOut: number; // for want of room
  readonly maxBytes: number;
  readonly overall: readonly PictureFacts[]; // mistakes, the most confident first
  readonly classes: readonly ClassPictures[]; // most mistakes first
}

export interface ClassPictures {
  readonly name: string;
  readonly seen: boolean;
  readonly rows: number;
  readonly wrongRows: number;
  readonly wrong: readonly PictureFacts[];
  readonly typical: readonly PictureFacts[];
  readonly hardest: readonly PictureFacts[];
}

export interface PictureFacts {
  readonly file: string;
  readonly thumbnail: string; // a data URL
  readonly answer: string;
  readonly answerProbability: number;
  readonly truth: string;
  readonly truthProbability: number;
  readonly isRight: boolean;
  readonly reason: string; // what speaks for and against, in words
}

export interface ConfusionFacts {
  /** Shares of the rows of seen, and of unseen, classes; each has a sum of 1. */
  readonly outcomes: readonly {
    readonly seen: boolean;
    readonly right: number;
    readonly sameSide: number; // another class of the same kind
    readonly otherSide: number;
  }[];
  readonly pairs: readonly ConfusedPair[]; // most confused first
  readonly matrix: ConfusionMatrix;
}

export interface ConfusedPair {
  readonly of: string;
  readonly ofSeen: boolean;
  readonly as: string;
  readonly asSeen: boolean;
  readonly rows: number;
  readonly share: number; // of the rows of `of`
}

/** Classes in an order in which neighbours have alike attributes: seen ones first. */
export interface ConfusionMatrix {
  readonly classes: readonly string[];
  readonly seenClasses: number;
  /** Above 1, so many neighbouring classes share a row and a column. */
  readonly classesPerCell: number;
  /** Row (own class), column (answer), share of the row; those that are 0 are left out. */
  readonly cells: readonly (readonly [number, number, number])[];
  readonly cellsLeftOut: number; // the faintest, where there are too many to draw
}

export interface EmbeddingFacts {
  readonly ofUnseen: boolean; // false: the model knows no unseen classes, so seen ones are shown
  readonly classes: readonly EmbeddedClass[];
  /** x, y, index into classes, 1 for real and 0 for synthetic. */
  readonly points: readonly (readonly [number, number, number, 0 | 1])[];
  readonly perplexity: number;
  readonly divergence: number;
}

export interface EmbeddedClass {
  readonly name: string;
  readonly rows: number; // real ones, and as many synthetic
  readonly accuracy: number;
  /** Cosine of mean real and mean synthetic row. */
  readonly likeness: number;
  /** The other class shown whose synthetic mean is nearest to the real one. */
  readonly rival: { readonly name: string; readonly likeness: number } | null;
}

export interface SyntheticRowFacts {
  readonly points: readonly SyntheticRowPoint[]; // fewest first
  readonly configured: SyntheticRowPoint; // the model itself
  readonly leftOut: readonly number[]; // would have taken too long, or too much memory
}

export interface SyntheticRowPoint {
  readonly count: number; // rows for each unseen class
  readonly top1: number | null;
  readonly unseenAccuracy: number | null;
  readonly seenAccuracy: number | null;
  readonly harmonicMean: number | null;
}

export interface ImportanceFacts {
  readonly ofUnseen: boolean;
  readonly classes: number; // judged
  readonly rows: number;
  readonly draws: number; // behind each prototype
  readonly top1: number; // of the prototypes, with every attribute as it is
  readonly logLoss: number;
  readonly attributes: readonly AttributeEffect[]; // most important first
  readonly families: readonly AttributeEffect[]; // empty where names have none
}

export interface AttributeEffect {
  readonly name: string;
  readonly attributes: number; // in the family; 1 for an attribute
  readonly note: string; // what it is, in words; '' where nobody has said
  readonly logLossGain: number; // nats
  readonly standardError: number | null; // of logLossGain; null: no class has two rows
  readonly top1Loss: number;
}

export interface HistoryFacts {
  readonly members: readonly MemberHistory[];
  /** H, AUSUC and top-1 on each validation fold with the settings chosen, each at its own best bias. */
  readonly folds: readonly FoldFacts[];
  /** Every seed of the run; the first is this model's. */
  readonly seeds: readonly SeedFacts[];
}

export interface MemberHistory {
  readonly member: number;
  readonly epochs: readonly Readonly<Record<string, number>>[]; // epoch, loss, transport, marginalError, …
}

export interface FoldFacts {
  readonly fold: number;
  readonly harmonicMean: number;
  readonly ausuc: number;
  readonly standardTop1: number;
}

export interface SeedFacts {
  readonly seed: number;
  readonly harmonicMean: number | null;
  readonly unseenAccuracy: number | null;
  readonly seenAccuracy: number | null;
  readonly ausuc: number | null;
  readonly top1: number | null;
}

export interface ValidationTrial {
  readonly setting: string; // '' for the configuration as it stands
  readonly value: number | null;
  readonly harmonicMean: number;
  readonly ausuc: number;
  readonly standardTop1: number;
}
