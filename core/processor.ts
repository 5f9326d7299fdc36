/**
 * What tells one kind of processor from another. What was measured or compiled for one may be wrong on the next: its instructions decide,
 * and the model's name alone does not tell which of them a virtual machine passes on.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

export function processorKind(): string {
  try {
    const text = readFileSync('/proc/cpuinfo', 'utf8');
    const lines = text.split('\n').filter((line) => /^(model name|flags|Features)\s*:/.test(line));
    if (lines.length > 0) return [...new Set(lines)].sort().join('\n');
  } catch {
    // Not Linux.
  }
  return `${process.platform} ${process.arch} ${cpus()[0]?.model ?? ''}`;
}
