import type { NamedFlag } from './description.js';

/** A flag that the demonstration model does not know, not even by its attributes: it is added at runtime. */
export const newcomerFlag: NamedFlag = {
  name: 'Rising sun',
  shape: 'rectangle',
  layout: 'disc',
  colours: ['white', 'red'],
};
