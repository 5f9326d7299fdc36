import type { MachineCheck } from '../core/backbone/quantisation/check/machine-check.js';

export function describeCheck(
  name: string,
  float: string,
  { speedUp, cosine, problem, provider }: MachineCheck,
): string {
  const measured = `${name}: ${speedUp.toFixed(2)} times as fast as ${float} on this machine (${provider}); cosine of features ${cosine.mean.toFixed(4)} in the mean, ${cosine.least.toFixed(4)} at least.`;
  return problem === null ? measured : `${measured} Not worth it: ${problem}. Servers stay with ${float}.`;
}
