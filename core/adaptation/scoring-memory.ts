/**
 * Memory for going over rows, pass after pass and round after round. Allocated anew each time it would be garbage of several times the size of
 * the pool before any of it is collected. Only one pass is under way at a time.
 */

/** One piece of rows, and its scores; the costs of all rows of a pool and of the guard rows. */
type Purpose = 'rows' | 'scores' | KeptCosts;
export type KeptCosts = 'pool' | 'guard';

export class ScoringMemory {
  private readonly arrays = new Map<Purpose, Float32Array>();
  private readonly owners = new Map<KeptCosts, object>();

  room(purpose: Purpose, length: number): Float32Array {
    let found = this.arrays.get(purpose);
    if (!found || found.length < length) this.arrays.set(purpose, (found = new Float32Array(length)));
    return found.subarray(0, length);
  }

  /** Whose costs these are from now on: nobody's while they are being written. */
  give(costs: KeptCosts, owner: object | null): void {
    if (owner) this.owners.set(costs, owner);
    else this.owners.delete(costs);
  }

  isOf(costs: KeptCosts, owner: object): boolean {
    return this.owners.get(costs) === owner;
  }
}
