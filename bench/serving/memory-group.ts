/**
 * A control group that limits the memory of a server and its children together, as a container does: what goes beyond the limit is
 * killed by the kernel, and the kernel keeps the peak. Linux, version 1 or 2 of control groups, and permission to make one.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const versions = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    kills: 'memory.oom_control',
  },
  {
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    used: 'memory.current',
    peak: 'memory.peak',
    kills: 'memory.events',
  },
];

export class MemoryGroup {
  private constructor(
    private readonly folder: string,
    private readonly files: (typeof versions)[number],
  ) {}

  static create(mebibytes: number): MemoryGroup {
    const files = versions.find(({ root }) => existsSync(join(root, 'cgroup.procs')));
    if (!files) throw new Error('This machine has no control groups for memory.');
    const folder = join(files.root, `unseen-bench-${process.pid}`);
    mkdirSync(folder);
    writeFileSync(join(folder, files.limit), String(mebibytes * 2 ** 20));
    return new MemoryGroup(folder, files);
  }

  /** What `start` starts belongs to the group, with all its children; this process does not stay in it. */
  async startInside<T>(start: () => Promise<T>): Promise<T> {
    writeFileSync(join(this.folder, 'cgroup.procs'), String(process.pid));
    try {
      return await start();
    } finally {
      writeFileSync(join(this.files.root, 'cgroup.procs'), String(process.pid));
    }
  }

  /** Bytes, of files in memory and of the network too. */
  get used(): number {
    return Number(this.read(this.files.used));
  }

  /** The most bytes since the start, or since the peak was forgotten. */
  get peak(): number {
    return Number(this.read(this.files.peak));
  }

  /** Where the kernel allows it; elsewhere the peak is that since the start. */
  forgetPeak(): void {
    try {
      writeFileSync(join(this.folder, this.files.peak), '0');
    } catch {
      // version 2 before Linux 6.12
    }
  }

  /** Processes that the kernel has killed because of the limit. */
  get kills(): number {
    return Number(/^oom_kill (\d+)/m.exec(this.read(this.files.kills))?.[1] ?? NaN);
  }

  /** Once its processes have ended. */
  async remove(): Promise<void> {
    for (let attempt = 0; attempt < 50 && this.read('cgroup.procs') !== ''; attempt++) await sleep(100);
    rmdirSync(this.folder);
  }

  private read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }
}
