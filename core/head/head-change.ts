/** How the classes that compete change: what the class registry hands to every process that scores pictures. */
import type { Bundle } from '../bundle/bundle.js';
import { rowOf } from '../matrix.js';
import type { ClassGroup } from './class-group.js';
import { ownCompeting, type CompetingClass, type HeadRow, type HeadTable } from './head-table.js';

export interface HeadChange {
  /** Of the class registry, once this change is applied. */
  readonly revision: number;
  readonly put: readonly { readonly described: CompetingClass; readonly row: HeadRow }[];
  readonly removed: readonly string[];
  /** All of them, where any has changed. */
  readonly groups?: readonly ClassGroup[];
}

export function applyHeadChange(table: HeadTable, { put, removed, groups }: HeadChange): void {
  for (const name of removed) table.remove(name);
  for (const { described, row } of put) table.put(described, row);
  if (groups) table.setGroups(groups);
}

/** The rows of a bundle's own classes. */
export function bundleRows({ manifest, weights, bias }: Bundle): HeadChange['put'] {
  return manifest.classes.map((own, c) => ({
    described: ownCompeting(manifest, own),
    row: { weights: rowOf(weights, c), bias: bias[c] },
  }));
}
