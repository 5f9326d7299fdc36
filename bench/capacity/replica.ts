/**
 * One replica in the simulation: admission, decoding, batches and one worker, as server/inference does them. It reports how long
 * things take; simulate.ts keeps the time.
 */
export interface ReplicaModel {
  /** Seconds of decoding and everything else around the network, for one picture. */
  readonly decodeSeconds: () => number;
  /** Pictures decoded at a time: cores left beside the network. */
  readonly decoders: number;
  /** Seconds of a run of network and head over so many pictures. */
  readonly runSeconds: (pictures: number) => number;
  /** In growing order. */
  readonly batchSizes: readonly number[];
  /** Maximum number of pictures admitted at a time, and maximum wait at which a new one is still admitted. */
  readonly queue: number;
  readonly queueSeconds: number;
}

export type ReplicaEvent =
  | { readonly kind: 'decoded'; readonly arrived: number }
  | { readonly kind: 'ran'; readonly batch: readonly number[] };

/** Schedules the end of something that begins now. */
export type Schedule = (seconds: number, event: ReplicaEvent) => void;

export class Replica {
  /** Admitted and not yet answered. */
  admitted = 0;
  busySeconds = 0;
  batches = 0;
  private decoding = 0;
  private readonly undecoded: number[] = []; // times of arrival, as in all that follows
  private readonly waiting: number[] = [];
  private readonly underway: (readonly number[])[] = [];
  private readonly pace: number;

  constructor(private readonly model: ReplicaModel) {
    const largest = model.batchSizes.at(-1)!;
    this.pace = model.runSeconds(largest) / largest;
  }

  /** False when it is refused. */
  arrive(now: number, schedule: Schedule): boolean {
    const { queue, queueSeconds, batchSizes } = this.model;
    const enoughToKeepBusy = 2 * batchSizes.at(-1)!;
    const isShort = this.admitted * this.pace <= queueSeconds || this.admitted < enoughToKeepBusy;
    if (this.admitted >= queue || !isShort) return false;
    this.admitted += 1;
    this.undecoded.push(now);
    this.decode(schedule);
    return true;
  }

  /** Answers the times of arrival of those that are done. */
  happen(event: ReplicaEvent, schedule: Schedule): readonly number[] {
    if (event.kind === 'decoded') {
      this.decoding -= 1;
      this.waiting.push(event.arrived);
      this.decode(schedule);
      this.dispatch(schedule);
      return [];
    }
    this.underway.shift();
    this.admitted -= event.batch.length;
    if (this.underway.length > 0) this.run(this.underway[0], schedule);
    this.dispatch(schedule);
    return event.batch;
  }

  private decode(schedule: Schedule): void {
    while (this.decoding < this.model.decoders && this.undecoded.length > 0) {
      this.decoding += 1;
      schedule(this.model.decodeSeconds(), { kind: 'decoded', arrived: this.undecoded.shift()! });
    }
  }

  /** Gives a free worker the largest full batch; behind a running batch, only one of the largest size. */
  private dispatch(schedule: Schedule): void {
    const { batchSizes } = this.model;
    while (this.underway.length < 2 && this.waiting.length > 0) {
      if (this.underway.length === 1 && this.waiting.length < batchSizes.at(-1)!) return;
      const size = batchSizes.filter((candidate) => candidate <= this.waiting.length).at(-1)!;
      const batch = this.waiting.splice(0, size);
      this.underway.push(batch);
      if (this.underway.length === 1) this.run(batch, schedule);
    }
  }

  private run(batch: readonly number[], schedule: Schedule): void {
    const seconds = this.model.runSeconds(batch.length);
    this.busySeconds += seconds;
    this.batches += 1;
    schedule(seconds, { kind: 'ran', batch });
  }
}
