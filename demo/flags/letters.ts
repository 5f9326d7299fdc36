/** The letter flags of the International Code of Signals. The model never trains on a picture of one. */
import type { Colour, NamedFlag, FlagShape } from './description.js';
import type { LayoutName } from './layouts.js';

export const letterFlags: readonly NamedFlag[] = [
  letter('Alfa', 'vertical-halves', ['white', 'blue'], 'swallowtail'),
  letter('Bravo', 'solid', ['red'], 'swallowtail'),
  letter('Charlie', 'horizontal-fifths', ['blue', 'white', 'red']),
  letter('Delta', 'wide-middle-band', ['yellow', 'blue']),
  letter('Echo', 'horizontal-halves', ['blue', 'red']),
  letter('Foxtrot', 'diamond', ['white', 'red']),
  letter('Golf', 'vertical-sixths', ['yellow', 'blue']),
  letter('Hotel', 'vertical-halves', ['white', 'red']),
  letter('India', 'disc', ['yellow', 'black']),
  letter('Juliett', 'horizontal-thirds', ['blue', 'white']),
  letter('Kilo', 'vertical-halves', ['yellow', 'blue']),
  letter('Lima', 'quartered', ['yellow', 'black']),
  letter('Mike', 'saltire', ['blue', 'white']),
  letter('November', 'chequered', ['blue', 'white']),
  letter('Oscar', 'diagonal-halves', ['red', 'yellow']),
  letter('Papa', 'centred-square', ['blue', 'white']),
  letter('Quebec', 'solid', ['yellow']),
  letter('Romeo', 'cross', ['red', 'yellow']),
  letter('Sierra', 'centred-square', ['white', 'blue']),
  letter('Tango', 'vertical-thirds', ['red', 'white', 'blue']),
  letter('Uniform', 'quartered', ['red', 'white']),
  letter('Victor', 'saltire', ['white', 'red']),
  letter('Whiskey', 'nested-squares', ['blue', 'white', 'red']),
  letter('Xray', 'cross', ['white', 'blue']),
  letter('Yankee', 'diagonal-stripes', ['yellow', 'red']),
  letter('Zulu', 'triangles', ['yellow', 'blue', 'red', 'black']),
];

function letter(
  name: string,
  layout: LayoutName,
  colours: readonly Colour[],
  shape: FlagShape = 'rectangle',
): NamedFlag {
  return { name, shape, layout, colours };
}
