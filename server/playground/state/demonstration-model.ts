/** What the model of the demonstration calls itself. */
export const demonstrationModel = 'signal-flags';
