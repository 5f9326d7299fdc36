/**
 * Before a dataset is made with an int8 network: on some processors its kernels saturate, and nothing in the features would show that they
 * are wrong.
 */
import { availableCores } from '../../core/available-cores.js';
import { cachedFloatOf, readCached, type Backbone } from '../../core/backbone/backbone.js';
import { loadCatalogue } from '../../core/backbone/catalogue.js';
import type { ExtractorOptions } from '../../core/backbone/extractor.js';
import { checkOnThisMachine, minCosine } from '../../core/backbone/quantisation/check/machine-check.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';

export async function checkInt8(
  network: Backbone,
  { provider = 'cpu', threads = 0 }: Pick<ExtractorOptions, 'provider' | 'threads'>,
  watcher: Watcher,
): Promise<void> {
  if (network.precision !== 'int8') return;
  const catalogue = loadCatalogue();
  const { name } = network.entry;
  const float = cachedFloatOf(catalogue, network.entry);
  if (!float) {
    watcher.note(
      `${name} is not checked on this machine: the float network that it was made of is not here.`,
    );
    return;
  }
  const options = { provider, threads: threads || availableCores() };
  const { problem, cosine } = await checkOnThisMachine(network, () => readCached(catalogue, float), options);
  if (problem === null) return;
  if (cosine.least < minCosine.int8)
    throw new Failure(
      'backbone-invalid',
      `${name} cannot be used on this machine: ${problem}. Extract with --backbone ${float.name}, or on another processor.`,
    );
  watcher.note(`${name} gains little on this machine: ${problem}.`);
}
