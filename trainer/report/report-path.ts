/** Where the report of a bundle lies: beside it, because what is in a bundle is hashed. */
export function reportPath(bundlePath: string): string {
  return `${bundlePath.replace(/\/+$/, '')}.report.html`;
}

export function trainingLog(bundlePath: string): string {
  return `${bundlePath.replace(/\/+$/, '')}.work/log.jsonl`;
}
