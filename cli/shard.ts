import { InvalidArgumentError } from 'commander';
import type { Shard } from '../trainer/shard.js';

/** Of `--shard 3/16`. */
export function shardNumber(text: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [number, of] = [Number(match?.[1]), Number(match?.[2])];
  if (!(number >= 1 && of >= number))
    throw new InvalidArgumentError('It must be like 3/16, from 1/n to n/n.');
  return { number, of };
}
