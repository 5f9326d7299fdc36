/**
 * What a flag is: an outline, a layout, and a colour for each slot of the layout. Pictures, attributes and names all
 * follow from these three, so that no flag is ever described twice.
 */
import type { LayoutName } from './layouts.js';

export const colours = ['red', 'yellow', 'blue', 'white', 'black'] as const;
export type Colour = (typeof colours)[number];

export const shapes = ['rectangle', 'swallowtail'] as const;
export type FlagShape = (typeof shapes)[number];

export interface FlagDescription {
  readonly shape: FlagShape;
  readonly layout: LayoutName;
  /** One colour for each slot of the layout, in the order of its slots. */
  readonly colours: readonly Colour[];
}

export interface NamedFlag extends FlagDescription {
  readonly name: string;
}

/** Width over height of the cloth. */
export const aspect = 4 / 3;
