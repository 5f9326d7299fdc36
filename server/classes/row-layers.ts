/**
 * The row by which a class is scored, in three layers: as the bundle has it or as it was fitted, as a consolidation has moved it
 * (rows of the bundle's own classes only), and as the adaptation in force has it.
 */
import type { Bundle } from '../../core/bundle/bundle.js';
import type { HeadRow } from '../../core/head/head-table.js';
import { rowOf } from '../../core/matrix.js';
import type { NamedRow } from './store/contract.js';

export class RowLayers {
  /** Places of the bundle's own classes. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly consolidated = new Map<string, HeadRow>();
  private adapted: ReadonlyMap<string, HeadRow> = new Map();

  constructor(private readonly bundle: Bundle) {
    this.places = new Map(bundle.manifest.classes.map(({ name }, place) => [name, place]));
  }

  applyConsolidated(rows: readonly NamedRow[]): void {
    for (const { name, weights, bias } of rows) this.consolidated.set(name, { weights, bias });
  }

  /** Those of the adaptation in force, all of them. Names whose row this may change. */
  applyAdapted(rows: readonly NamedRow[]): string[] {
    const before = this.adaptedNames();
    this.adapted = new Map(rows.map(({ name, weights, bias }) => [name, { weights, bias }]));
    return [...before, ...this.adapted.keys()];
  }

  adaptedNames(): string[] {
    return [...this.adapted.keys()];
  }

  /** As the store does: what was learnt for a class as it was says nothing of it as it is now. */
  dropAdapted(names: readonly string[]): void {
    if (!names.some((name) => this.adapted.has(name))) return;
    const changed = new Set(names);
    this.adapted = new Map([...this.adapted].filter(([name]) => !changed.has(name)));
  }

  /** By which a class is scored; null when it has not been fitted. `fitted`: its own, for one that was added at runtime. */
  rowOf(name: string, fitted: HeadRow | null | undefined): HeadRow | null {
    const below = fitted ?? this.ownRow(name);
    return below && (this.adapted.get(name) ?? below);
  }

  /** The bundle with the rows of its own classes as they are now, below an adaptation. */
  currentBundle(): Bundle {
    if (this.consolidated.size === 0) return this.bundle;
    const weights = { ...this.bundle.weights, data: this.bundle.weights.data.slice() };
    const bias = this.bundle.bias.slice();
    for (const [name, row] of this.consolidated) {
      const place = this.places.get(name);
      if (place === undefined) continue;
      rowOf(weights, place).set(row.weights);
      bias[place] = row.bias;
    }
    return { ...this.bundle, weights, bias };
  }

  private ownRow(name: string): HeadRow | null {
    const place = this.places.get(name);
    if (place === undefined) return null;
    const { weights, bias } = this.bundle;
    return this.consolidated.get(name) ?? { weights: rowOf(weights, place), bias: bias[place] };
  }
}
