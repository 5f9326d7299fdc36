/** What learning from unlabelled pictures is given, and what it finds. D feature values. */
import type { AssignedPictures } from '../fitting/runtime-class.js';

/** How far pictures are trusted; chosen on validation classes (docs/experiments.md). */
export interface AdaptationSettings {
  /** Entropy of the assignment, in units of the cosine: the smaller, the more each picture goes to a single class. */
  readonly epsilon: number;
  /** How firmly classes are held to equal masses: 0 not at all, Infinity exactly. */
  readonly rho: number;
  /** How often pictures are assigned and classes moved in turn. */
  readonly rounds: number;
  /** How far what a class receives must exceed chance before it moves, in deviations of what pictures of seen classes send there; 0: no guard. */
  readonly guard: number;
  /** How many times as much new pictures of seen classes send to unseen ones as guard rows say. */
  readonly mistakes: number;
  /** How many times as much as that they are taken to send, in a pool without unseen classes. */
  readonly caution: number;
  /** How much less that is in a pool that holds every unseen class. */
  readonly relief: number;
  /** As what share of a labelled picture an assigned one counts. */
  readonly strength: number;
  /** What classes known by attributes get beside the head's bias, in units of the cosine, since prototypes are compared here and not head rows. */
  readonly offset: number;
}

export interface AdaptedClass {
  readonly name: string;
  /** True when training had pictures of it: it receives pictures, and never moves. */
  readonly seen: boolean;
  /** How many of the pictures it receives; shares of pictures add up. */
  readonly pictures: number;
  /** How many of them pictures of seen classes explain, which resemble it by mistake. */
  readonly byMistake: number;
  /** 1 - cosine between where it was and where it is now: 0 for a class that does not move. */
  readonly moved: number;
  /** What is kept of its pictures, and given to a fit as `assigned` of the class; null for a class that does not move. */
  readonly assigned: AssignedPictures | null;
}

export interface Adaptation {
  /** How many pictures there were. */
  readonly pictures: number;
  /** Every class that competes: the bundle's, then the runtime classes, in the order in which they were given. */
  readonly classes: readonly AdaptedClass[];
  readonly none: {
    /** Share of the pictures that belongs to no class. */
    readonly share: number;
    /** Positions of the pictures that are most likely of none of the classes. */
    readonly rows: Int32Array;
  };
  /** Estimated share of the pictures that is of unseen classes, after subtracting mistakes: 0 .. 1. */
  readonly unseenShare: number;
  /** Numbers of the last assignment. */
  readonly transport: { readonly iterations: number; readonly marginalError: number };
  /**
   * How well pictures of the pool that were held out are explained by the classes, before and after: the mean of log sum_c exp(score_c / epsilon), in
   * nats. It grows where the pool has something to say. Null when nothing moves, or when the pool is too small to hold out a part.
   */
  readonly expected: { readonly before: number; readonly after: number } | null;
  /** Reasons for not expecting much of it, as sentences for an operator. */
  readonly warnings: readonly string[];
}
