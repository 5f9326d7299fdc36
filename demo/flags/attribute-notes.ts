/** What the attributes of flags are, in words: the page, the report and `unseen inspect` show it beside their names. */
import type { AttributeNote } from '../../core/bundle/manifest.js';
import { attributeNames, maxEdgeLength } from './attributes.js';

const inWords: Readonly<Record<string, (value: string) => string>> = {
  colour: (colour) => `share of the cloth that is ${colour}`,
  has: (colour) => `1 if ${colour} is on it at all`,
  hoist: (colour) => `share of ${colour} in the third next to the pole`,
  fly: (colour) => `share of ${colour} in the third away from the pole`,
  top: (colour) => `share of ${colour} in the upper third`,
  bottom: (colour) => `share of ${colour} in the lower third`,
  centre: (colour) => `share of ${colour} in the middle, a ninth of the cloth`,
  meeting: (pair) => `length of the edges between ${pair.replace('-', ' and ')}; 1 is ${maxEdgeLength} sides`,
  edge: (direction) => `length of the edges that are ${direction}; 1 is ${maxEdgeLength} sides`,
  layout: (layout) => `1 if this is how it is divided: ${layout.replaceAll('-', ' ')}`,
  shape: (shape) => `1 if the cloth is a ${shape}`,
  'has-colours': (count) => (count === '1' ? '1 if it has one colour only' : `1 if it has ${count} colours`),
};

export const attributeNotes: readonly AttributeNote[] = attributeNames.map((name) => {
  const [family, value] = name.split('::');
  return { description: inWords[family](value) };
});
