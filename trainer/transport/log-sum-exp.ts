/** log of the sum of exp(value(0)) .. exp(value(count - 1)), finite wherever the values are. */
export function logSumExp(count: number, value: (index: number) => number): number {
  let largest = -Infinity;
  for (let i = 0; i < count; i++) largest = Math.max(largest, value(i));
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.exp(value(i) - largest);
  return largest + Math.log(sum);
}
