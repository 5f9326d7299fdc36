/** From a float network to an int8 one: read, fold, plan, then either measure ranges on pictures or write with known ones. */
import { foldBatchNormalisation } from './fold-batch-normalisation.js';
import { calibrate } from './calibrate.js';
import { readNetwork, type Network } from './network.js';
import { withIntegerOperators } from './raise-opset.js';
import { planQuantisation, type QuantisationPlan } from './plan.js';
import type { Ranges } from './ranges.js';
import { writeQuantised } from './write-qdq.js';

export class Quantiser {
  private constructor(
    private readonly network: Network,
    private readonly plan: QuantisationPlan,
  ) {}

  /** Fails with the operator that stands in the way of a network that cannot be quantised. */
  static of(model: Uint8Array): Quantiser {
    const network = foldBatchNormalisation(withIntegerOperators(readNetwork(model)));
    return new Quantiser(network, planQuantisation(network));
  }

  /** The values that need a range. */
  get points(): readonly string[] {
    return this.plan.points;
  }

  ranges(
    entry: Parameters<typeof calibrate>[2],
    pictures: Parameters<typeof calibrate>[3],
    watcher: Parameters<typeof calibrate>[4],
  ): Promise<Ranges> {
    return calibrate(this.network, this.plan, entry, pictures, watcher);
  }

  /** `metadata` goes into the file, so that its hash covers it. The same ranges give the same bytes. */
  write(ranges: Ranges, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    return writeQuantised(this.network, this.plan, ranges, metadata);
  }
}
