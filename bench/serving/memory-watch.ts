/** How far the memory of a server and its children rises above what it takes idle. */
import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryGroup } from './memory-group.js';
import { memoryByRole } from './process-tree.js';

const target = 512 * 2 ** 20;
const sampleMilliseconds = 20;
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/** An idle server has what it begins after its first answer: the fitting process, other decoders, larger batches, tables for explanations. */
const settlingMilliseconds = 8_000;

export class MemoryWatch {
  private readonly idleByRole: ReadonlyMap<string, number>;
  private readonly idle: number;
  private peakByRole: ReadonlyMap<string, number> = new Map();
  private readonly timer: NodeJS.Timeout | undefined;

  /** Of a server that has answered its first pictures, once it is idle. */
  static async begin(pid: number, group: MemoryGroup | null): Promise<MemoryWatch> {
    await wait(settlingMilliseconds);
    return new MemoryWatch(pid, group);
  }

  /** From now on, on an idle server. In a control group the kernel keeps the peak; elsewhere it is sampled. */
  private constructor(
    private readonly pid: number,
    private readonly group: MemoryGroup | null,
  ) {
    group?.forgetPeak();
    this.idleByRole = memoryByRole(pid);
    this.idle = group?.used ?? sum(this.idleByRole);
    if (!group)
      this.timer = setInterval(() => {
        const now = memoryByRole(this.pid);
        if (sum(now) > sum(this.peakByRole)) this.peakByRole = now;
      }, sampleMilliseconds);
  }

  /** Prints what was seen, and returns whether it is within the target. */
  end(): boolean {
    clearInterval(this.timer);
    const rise = Math.max(0, (this.group?.peak ?? sum(this.peakByRole)) - this.idle);
    const kills = this.group?.kills ?? 0;
    const how = this.group ? 'by the control group' : 'sampled';
    console.log(
      `  memory of all processes     ${mebibytes(this.idle)} MiB idle, peak ${mebibytes(rise)} MiB above, ${how} (target ${mebibytes(target)})`,
    );
    const parts = [...this.peakByRole].map(
      ([role, bytes]) => `${role} ${mebibytes(bytes - (this.idleByRole.get(role) ?? 0))}`,
    );
    if (!this.group) console.log(`  of it                       ${parts.join(', ')}`);
    if (this.group) console.log(`  killed because of the limit ${kills} (target 0)`);
    return rise <= target && kills === 0;
  }
}

const sum = (byRole: ReadonlyMap<string, number>): number =>
  [...byRole.values()].reduce((all, bytes) => all + bytes, 0);
