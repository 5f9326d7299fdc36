/**
 * Whether a network in fewer bits is worth running on this machine. It depends on the processor: without int8 instructions nothing is
 * gained, and some kernels saturate; half precision pays on GPUs. The outcome is kept beside the network's file, by everything that it depends on, so that only the first
 * start on a machine pays for it.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Channel } from '../../../channel/channel.js';
import { forkWorker, processEndpoint } from '../../../channel/processes.js';
import { compiledFile } from '../../../compiled-file.js';
import { providers, runtimeVersion, type Provider } from '../../../compute/session.js';
import { sha256Of } from '../../../hash.js';
import { processorKind } from '../../../processor.js';
import type { Backbone } from '../../backbone.js';
import { builtInPictures } from './built-in-pictures.js';
import type { Comparison } from './compare.js';
import type { ComparisonRequests } from './compare-worker.js';
import { minFingerprintCosine } from './fingerprint.js';

const minSpeedUp = 1.3;
/** Half precision is used without being asked for, so its features have to pass for those of float: see fingerprint.ts. */
export const minCosine = { int8: 0.97, fp16: minFingerprintCosine } as const;

export interface MachineCheck extends Comparison {
  /** What is wrong with it here, as a sentence; null when it is worth running. */
  readonly problem: string | null;
  /** Measured before, on the same processor. */
  readonly isCached: boolean;
}

interface CheckOptions {
  readonly threads: number;
  readonly provider: Provider;
  /** Measure even if there is an outcome. */
  readonly anew?: boolean;
}

const cacheFile = 'machine-checks.json';
const cacheSchema = z.record(
  z.string(),
  z.object({
    speedUp: z.number(),
    cosine: z.object({ mean: z.number(), least: z.number() }),
    provider: z.enum(providers),
  }),
);
/** A comparison takes seconds, on a slow machine a minute. */
const silenceSeconds = 300;

/** `openFloat` is asked for the float network only when there is something to measure. */
export async function checkOnThisMachine(
  network: Backbone,
  openFloat: () => Promise<Backbone>,
  { threads, provider, anew = false }: CheckOptions,
): Promise<MachineCheck> {
  // The network's hash covers that of the float one, which its file names.
  const key = sha256Of(
    JSON.stringify([processorKind(), runtimeVersion, threads, provider, network.identity.sha256]),
  );
  const path = network.folder === undefined ? null : join(network.folder, cacheFile);
  const known = path === null ? {} : readCache(path);
  const least = minCosine[network.precision === 'fp16' ? 'fp16' : 'int8'];
  if (!anew && Object.hasOwn(known, key)) return judged(known[key], least, true);
  const comparison = await compareInProcess(await openFloat(), network, threads, provider);
  // A device that is missing today may be back tomorrow.
  if (path !== null && comparison.provider === provider)
    await writeCache(path, { ...known, [key]: comparison });
  return judged(comparison, least, false);
}

function judged(comparison: Comparison, least: number, isCached: boolean): MachineCheck {
  const { speedUp, cosine } = comparison;
  const slow =
    speedUp < minSpeedUp
      ? `it is only ${speedUp.toFixed(2)} times as fast as float here (${minSpeedUp} would be worth it)`
      : null;
  const far =
    cosine.least < least
      ? `its features have a cosine of only ${cosine.least.toFixed(3)} to those of float here (at least ${least})`
      : null;
  return { ...comparison, problem: far ?? slow, isCached };
}

async function compareInProcess(
  float: Backbone,
  network: Backbone,
  threads: number,
  provider: Provider,
): Promise<Comparison> {
  const file = compiledFile('./compare-worker.js', import.meta.url);
  const channel = new Channel<ComparisonRequests>(processEndpoint(forkWorker(file)), {
    name: 'the process that compares networks',
    silenceSeconds,
  });
  const compared = ({ entry, model }: Backbone) => ({ entry, network: model });
  try {
    return await channel.request('compare', {
      float: compared(float),
      fewerBits: compared(network),
      pictures: builtInPictures(),
      threads,
      provider,
    });
  } finally {
    channel.close();
    await channel.ended;
  }
}

function readCache(path: string): z.infer<typeof cacheSchema> {
  try {
    return cacheSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {}; // none yet, or not ours: measured again
  }
}

/** Weights are often mounted for reading only; then every start measures. */
async function writeCache(path: string, content: z.infer<typeof cacheSchema>): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  try {
    await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`);
    await rename(temporary, path);
  } catch {
    return;
  }
}
