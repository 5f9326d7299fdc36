/**
 * Memory that a process shares with its workers: a file in memory, without a name, which all of them have open. Large parts of
 * messages lie there, because a message of a hundred kilobytes is copied five times on its way, and every copy becomes garbage.
 *
 * Where there is no such file, or no free slot, or a part is larger than a slot, the part travels in the message.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Where workers find the file among their open ones: standard input, output and error are 0 to 2, the channel is 3. */
export const slotsDescriptor = 4;

/** An ordinary photograph, or pixels for a network. Only what was written takes memory. */
export const slotBytes = 512 * 1024;
/** All of them fit into the 64 MiB that containers have there. */
const slotCount = 128;

/** Bytes, or where they are. */
export type Placed = Uint8Array | { readonly slot: number; readonly length: number };

export class SlotFile {
  private room: Uint8Array | undefined;

  constructor(readonly descriptor: number) {}

  /** Returns what goes into the message: where the bytes are now, or the bytes themselves. */
  put(slot: number | null, bytes: Uint8Array): Placed {
    const { length } = bytes;
    if (slot === null || length > slotBytes) return bytes;
    try {
      const written = writeSync(this.descriptor, bytes, 0, length, slot * slotBytes);
      return written === length ? { slot, length } : bytes;
    } catch {
      return bytes; // no memory is left for the file
    }
  }

  /** What was put; bytes from a slot are valid until the next call. */
  get(placed: Placed): Uint8Array {
    if (placed instanceof Uint8Array) return placed;
    const { slot, length } = placed;
    this.room ??= new Uint8Array(slotBytes);
    const read = readSync(this.descriptor, this.room, 0, length, slot * slotBytes);
    if (read !== length) throw new Error(`slot ${slot} holds ${read} bytes instead of ${length}`);
    return this.room.subarray(0, length);
  }
}

/** The side that hands slots out. */
export class SharedSlots {
  private readonly free: number[];

  /** Null: there is no such file here. */
  private constructor(readonly file: SlotFile | null) {
    const count = file ? slotCount : 0;
    this.free = Array.from({ length: count }, (_, index) => count - 1 - index); // low ones first
  }

  static open(folder = '/dev/shm'): SharedSlots {
    const path = join(folder, `unseen-${randomUUID()}`);
    try {
      const descriptor = openSync(path, 'wx+', 0o600);
      unlinkSync(path); // so that it goes with the last process that has it open, however that ends
      return new SharedSlots(new SlotFile(descriptor));
    } catch {
      return new SharedSlots(null); // no Linux, or not allowed
    }
  }

  /** There are slots, and every one is in use. */
  get areAllUsed(): boolean {
    return this.file !== null && this.free.length === 0;
  }

  /** Null when none is free. The one used last comes first: its memory is there already. */
  acquire(): number | null {
    return this.free.pop() ?? null;
  }

  release(slot: number | null): void {
    if (slot !== null) this.free.push(slot);
  }

  put(slot: number | null, bytes: Uint8Array): Placed {
    return this.file ? this.file.put(slot, bytes) : bytes;
  }

  close(): void {
    if (this.file) closeSync(this.file.descriptor);
    this.free.length = 0;
  }
}
