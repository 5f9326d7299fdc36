import { join } from 'node:path';
import type { FeatureSource } from '../../core/backbone/extractor.js';
import { featuresOf } from '../../core/backbone/pipeline.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { Shard } from '../shard.js';
import type { Part, PartStore } from './parts.js';
import { partCount, type ExtractionPlan } from './plan.js';

export interface PartsDone {
  readonly pictures: number;
  readonly resumed: number;
  readonly seconds: number;
  readonly imagesPerSecond: number | null;
  readonly problems: Part['problems'];
}

/** Shard 3 of 16 does the parts 2, 18, 34 …; which pictures make a part does not depend on the shards. */
function partsOfShard(plan: ExtractionPlan, { number, of }: Shard): number[] {
  return Array.from({ length: partCount(plan) }, (_, index) => index).filter((i) => i % of === number - 1);
}

/** Extracts the parts that are not finished. `openSource` is called only when there are any. */
export async function runParts(
  store: PartStore,
  shard: Shard,
  images: string,
  openSource: () => Promise<FeatureSource>,
  watcher: Watcher,
): Promise<PartsDone> {
  const { plan } = store;
  const { partSize, pictures, backbone } = plan;
  const wanted = partsOfShard(plan, shard);
  const rangeOf = (part: number) => pictures.slice(part * partSize, (part + 1) * partSize);
  const problems: Part['problems'] = [];
  const missing: number[] = [];
  let resumed = 0;
  for (const part of wanted) {
    const done = await store.read(part);
    if (!done) missing.push(part);
    else {
      resumed += rangeOf(part).length;
      problems.push(...done.problems);
    }
  }
  const total = wanted.reduce((sum, part) => sum + rangeOf(part).length, 0);
  if (missing.length === 0) return { pictures: total, resumed, seconds: 0, imagesPerSecond: null, problems };
  if (resumed > 0) watcher.note(`Resuming after ${resumed} of ${total} pictures.`);
  const { preprocessing, featureWidth } = backbone;
  if (!preprocessing) throw new Failure('backbone-invalid', `${backbone.name} says nothing of its pictures.`);

  // Parts but the last are whole numbers of batches, so that in one long row every picture keeps its place in a batch.
  const queue = missing.flatMap((part) =>
    rangeOf(part).map((picture, i) => ({ index: part * partSize + i, picture })),
  );
  const inputs = queue.map(({ picture }) => ({ name: picture.file, content: join(images, picture.file) }));
  const openPart = (part: number) => ({
    part,
    left: rangeOf(part).length,
    rows: [] as Float32Array[],
    problems: [] as Part['problems'],
  });
  const source = await openSource();
  const pace = new ExtractionProgress(watcher, total, resumed);
  try {
    const options = { preprocessing, limits: { pixels: plan.pixelLimit }, signal: watcher.signal };
    const parts = missing.values();
    let current = openPart(parts.next().value!);
    for await (const batch of featuresOf(inputs, source, options)) {
      for (const { index, name, reason } of batch.problems) {
        const row = index - batch.start;
        batch.features.data.fill(0, row * featureWidth, (row + 1) * featureWidth);
        current.problems.push({ index: queue[index].index, name, reason });
      }
      current.rows.push(batch.features.data);
      const done = batch.start + batch.features.rows;
      current.left -= batch.features.rows;
      if (current.left === 0) {
        await store.write(current.part, { features: joined(current.rows), problems: current.problems });
        problems.push(...current.problems);
        if (done < queue.length) current = openPart(parts.next().value!);
      }
      pace.update(done);
    }
  } finally {
    pace.stop();
    await source.close();
  }
  problems.sort((a, b) => a.index - b.index);
  return { pictures: total, resumed, problems, ...pace.result(queue.length) };
}

function joined(rows: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let offset = 0;
  for (const row of rows) {
    whole.set(row, offset);
    offset += row.length;
  }
  return whole;
}

/** Images per second, beside the time left that every progress shows. */
class ExtractionProgress {
  private readonly started = performance.now();
  private readonly bar;

  constructor(
    watcher: Watcher,
    total: number,
    private readonly resumed: number,
  ) {
    this.bar = watcher.progress('Extracting', total);
    this.bar.update(resumed);
  }

  update(done: number): void {
    const perSecond = (1000 * done) / (performance.now() - this.started);
    this.bar.update(this.resumed + done, `${perSecond.toFixed(1)} images/s`);
  }

  stop(): void {
    this.bar.stop();
  }

  result(done: number): { seconds: number; imagesPerSecond: number } {
    const seconds = (performance.now() - this.started) / 1000;
    return { seconds, imagesPerSecond: done / seconds };
  }
}
