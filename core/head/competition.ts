/**
 * The classes that compete for an answer: all of them, or those that may answer. Probabilities are over those alone, and the bias on
 * unseen classes is the one for as many unseen classes as are among them.
 */
import type { HeadTable } from './head-table.js';
import type { LinearHead } from './scorer.js';

/** Which classes may answer: those named and those of the groups named. A name that does not compete is passed over. */
export interface MayAnswer {
  readonly classes?: readonly string[];
  readonly groups?: readonly string[];
}

export interface Competition {
  /** Places in the table, in order of names. */
  readonly places: Int32Array; // (k)
  /** How many of them training had no picture of. */
  readonly unseenCount: number;
  /** Their rows alone, in the order of places; null where scoring all rows is cheaper than copying these. */
  readonly head: LinearHead | null;
}

/** Copying a row and then scoring it takes about as long as scoring two or three where they are. */
const copiedShare = 0.25;

export class Competitions {
  private version = -1;
  private all: Competition | null = null;
  /** The restriction that was asked for last: those who send many pictures send them with the same one. */
  private last: { readonly key: string; readonly competition: Competition } | null = null;

  constructor(private readonly table: HeadTable) {}

  of(mayAnswer: MayAnswer | undefined): Competition {
    if (this.version !== this.table.version) {
      this.all = this.last = null;
      this.version = this.table.version;
    }
    if (!mayAnswer)
      return (this.all ??= {
        places: this.table.placesByName,
        unseenCount: this.table.unseenCount,
        head: null,
      });
    const key = JSON.stringify([mayAnswer.classes, mayAnswer.groups]);
    if (this.last?.key !== key) this.last = { key, competition: this.among(mayAnswer) };
    return this.last.competition;
  }

  private among({ classes = [], groups = [] }: MayAnswer): Competition {
    const { table } = this;
    const names = new Set([...classes, ...groups.flatMap((name) => table.groups.get(name)?.classes ?? [])]);
    const found = [...names].sort((a, b) => (a < b ? -1 : 1)).flatMap((name) => table.placeOf(name) ?? []);
    const places = Int32Array.from(found);
    const unseenCount = found.filter((place) => !table.classes[place].seen).length;
    const isCopied = places.length <= copiedShare * table.classes.length;
    return { places, unseenCount, head: isCopied ? table.headOf(places) : null };
  }
}
