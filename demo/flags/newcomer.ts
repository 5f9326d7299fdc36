import type { NamedFlag } from './description.js';

/** A flag that the demonstration model has never heard of, not even by its attributes: they are given to it at runtime. */
export const newcomerFlag: NamedFlag = {
  name: 'Rising sun',
  shape: 'rectangle',
  layout: 'disc',
  colours: ['white', 'red'],
};
