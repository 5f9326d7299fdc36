/** How long work will take, by how fast it has been of late. */
export class TimeLeft {
  private readonly started: number;
  private readonly recent: { readonly time: number; readonly done: number }[];
  /** "about 3 minutes left"; empty before that can be told, and at the end. */
  words = '';

  constructor(
    private readonly total: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.started = now();
    this.recent = [{ time: this.started, done: 0 }];
  }

  update(done: number): void {
    const time = this.now();
    if (time - this.started < 100) this.recent[0] = { time, done }; // what a run before has done says nothing of the pace
    const last = this.recent.at(-1)!;
    if (time - last.time > 500) {
      this.recent.push({ time, done });
      if (this.recent.length > maxRecent) this.recent.shift();
    }
    const [first] = this.recent;
    const [elapsed, made] = [time - first.time, done - first.done];
    const isTooEarly = time - this.started < 2000 || made <= 0;
    this.words =
      isTooEarly || done >= this.total ? '' : timeLeftInWords((elapsed / made) * (this.total - done));
  }
}

const maxRecent = 60;

export function timeLeftInWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return 'a few seconds left';
  if (seconds < 90) return `about ${10 * Math.round(seconds / 10)} seconds left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `about ${minutes} minutes left`;
  return `about ${(seconds / 3600).toFixed(1)} hours left`;
}
