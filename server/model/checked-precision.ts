/** The precision of a network that is worth it on this machine, by a check of speed and features that is made once. */
import { cachedFloatOf, readCached, type Backbone } from '../../core/backbone/backbone.js';
import type { Catalogue } from '../../core/backbone/catalogue.js';
import { checkOnThisMachine } from '../../core/backbone/quantisation/check/machine-check.js';
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import { threadsPerWorker } from '../inference/threads-per-worker.js';
import type { Logger } from '../observability/logger.js';

export type CheckSettings = Pick<ServerConfiguration, 'threads' | 'workers' | 'provider'>;

/** The float network where int8 is not worth it on this machine, else null. Without the float network nothing can be compared. */
export async function floatInstead(
  int8: Backbone,
  catalogue: Catalogue,
  settings: CheckSettings,
  logger: Logger,
): Promise<Backbone | null> {
  const { name } = int8.entry;
  const floatEntry = cachedFloatOf(catalogue, int8.entry);
  if (!floatEntry) {
    logger.warn(
      { backbone: name },
      'The int8 network is not checked: the float one that it was made of is not here.',
    );
    return null;
  }
  const openFloat = (): Promise<Backbone> => readCached(catalogue, floatEntry);
  const options = { threads: threadsPerWorker(settings), provider: settings.provider };
  const { problem, speedUp, cosine } = await checkOnThisMachine(int8, openFloat, options);
  const measured = { backbone: name, speedUp, cosine: cosine.mean };
  if (problem === null) {
    logger.info(measured, 'The int8 network is worth it on this machine.');
    return null;
  }
  logger.warn(
    measured,
    `Serving with ${floatEntry.name} instead of ${name}: ${problem}. --backbone-variant int8 uses int8 nevertheless.`,
  );
  return openFloat();
}

/** On a GPU: the same network in half precision where that is worth it on this machine, else the float one. */
export async function halfWherePays(
  float: Backbone,
  settings: CheckSettings,
  logger: Logger,
): Promise<Backbone> {
  const { name } = float.entry;
  let half: Backbone;
  try {
    half = await inHalfPrecision(float);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    logger.warn({ backbone: name }, `Serving in float32: ${error.message}`);
    return float;
  }
  const options = { threads: threadsPerWorker(settings), provider: settings.provider };
  const check = await checkOnThisMachine(half, () => Promise.resolve(float), options);
  const { speedUp, cosine, provider } = check;
  const problem = provider === settings.provider ? check.problem : `there is no ${settings.provider} here`;
  const measured = { backbone: name, speedUp, cosine: cosine.mean };
  if (problem !== null) {
    logger.info(measured, `Serving ${name} in float32, not in half precision: ${problem}.`);
    return float;
  }
  logger.info(measured, `Serving ${name} in half precision. --backbone-variant fp32 uses float32.`);
  return half;
}

/** By what rewrites networks, which is loaded only where it is needed. */
export async function inHalfPrecision(float: Backbone): Promise<Backbone> {
  const { halfPrecision } = await import('../../core/backbone/quantisation/half-backbone.js');
  return halfPrecision(float);
}
