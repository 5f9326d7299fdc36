/** Decides when to refit all classes: after many additions, once nobody has added any for a while. */
export class ConsolidationTrigger {
  private additions = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** 0: never. */
    private readonly afterAdditions: number,
    private readonly quietSeconds: number,
    private readonly run: () => void,
  ) {}

  added(count: number): void {
    this.additions += count;
    if (this.afterAdditions > 0 && this.additions >= this.afterAdditions) this.arm();
  }

  /** Classes were added while the rows were being fitted: once more, when it is quiet again. */
  again(): void {
    this.arm();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private arm(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.additions = 0;
      this.run();
    }, this.quietSeconds * 1000);
    this.timer.unref();
  }
}
