/** A priority queue of events by time (a binary heap). Events at the same time come out in the order they were added. */
interface Entry<T> {
  readonly time: number;
  readonly order: number;
  readonly event: T;
}

export class EventQueue<T> {
  private readonly heap: Entry<T>[] = [];
  private added = 0;

  add(time: number, event: T): void {
    const entry = { time, order: this.added++, event };
    let at = this.heap.length;
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = this.heap[(at - 1) >> 1];
      if (isBefore(parent, entry)) break;
      this.heap[at] = parent;
    }
    this.heap[at] = entry;
  }

  next(): Entry<T> | undefined {
    const first = this.heap.at(0);
    const last = this.heap.pop();
    if (first === undefined || last === undefined || this.heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.heap.length) break;
      if (child + 1 < this.heap.length && isBefore(this.heap[child + 1], this.heap[child])) child += 1;
      if (isBefore(last, this.heap[child])) break;
      this.heap[at] = this.heap[child];
      at = child;
    }
    this.heap[at] = last;
    return first;
  }
}

function isBefore<T>(one: Entry<T>, other: Entry<T>): boolean {
  return one.time < other.time || (one.time === other.time && one.order < other.order);
}
