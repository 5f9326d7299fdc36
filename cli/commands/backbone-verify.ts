import type { Command } from 'commander';
import { availableCores } from '../../core/available-cores.js';
import { isCached, readCached, type Backbone } from '../../core/backbone/backbone.js';
import {
  findEntry,
  loadCatalogue,
  type BackboneEntry,
  type Catalogue,
} from '../../core/backbone/catalogue.js';
import { Extractor } from '../../core/backbone/extractor.js';
import { pictureSize } from '../../core/backbone/preprocess.js';
import {
  checkOnThisMachine,
  type MachineCheck,
} from '../../core/backbone/quantisation/check/machine-check.js';
import type { CommandContext } from '../context.js';
import { count } from '../numbers.js';
import type { Runner } from '../program.js';

interface VerifyOptions {
  readonly threads: number;
  readonly json?: boolean;
}

/** A subcommand of `unseen backbone`. */
export function addVerifyCommand(backbone: Command, run: Runner): void {
  backbone
    .command('verify')
    .description(
      'Compare the downloaded weights with their hashes, run each network once, and measure what int8 networks gain here.',
    )
    .argument('[names...]', 'which ones (default: all whose weights are on this machine)')
    .option('--threads <number>', 'threads to measure int8 networks with', count, availableCores())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
An int8 network is compared with the float one that it was made of on six photographs. A server stays with the float one
where int8 is less than 1.3 times as fast, or a picture's features have a cosine below 0.97 to the float ones.

Example:
  unseen backbone verify`,
    )
    .action(async (names: string[], options: VerifyOptions) => {
      await run(options.json === true, (context) => verify(names, options, context));
    });
}

async function verify(
  names: readonly string[],
  { threads }: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const catalogue = loadCatalogue();
  const entries =
    names.length > 0
      ? names.map((name) => findEntry(catalogue, name))
      : catalogue.backbones.filter((entry) => isCached(catalogue, entry));
  const verified: BackboneEntry[] = [];
  const checks: Record<string, MachineCheck> = {};
  const lines: string[] = [];
  for (const entry of entries) {
    const backbone = await readCached(catalogue, entry);
    await runOnce(backbone);
    context.note(
      `${entry.name}: sha256 ${backbone.identity.sha256 ?? ''}, gives ${entry.featureWidth} features`,
    );
    verified.push(backbone.entry);
    const float = await floatOf(catalogue, entry);
    if (!float) continue;
    const check = await checkOnThisMachine(backbone, () => Promise.resolve(float), {
      threads,
      provider: 'cpu',
      anew: true,
    });
    checks[entry.name] = check;
    lines.push(describe(entry.name, float.entry.name, check));
  }
  const text =
    verified.length === 0
      ? `No weights are here yet (${catalogue.weights}). Fetch the default with "unseen backbone pull".`
      : [`${verified.map(({ name }) => name).join(', ')}: as the catalogue says.`, ...lines].join('\n');
  context.result(text, { weights: catalogue.weights, verified, checks });
}

async function runOnce(backbone: Backbone): Promise<void> {
  const extractor = await Extractor.open(backbone, { batchSize: 1 });
  await extractor.features(new Float32Array(extractor.batchSize * pictureSize(backbone.entry.preprocessing)));
  await extractor.close();
}

/** Null for a float network, and for an int8 one whose float network is not here. */
async function floatOf(catalogue: Catalogue, { source }: BackboneEntry): Promise<Backbone | null> {
  if (source.kind !== 'quantised') return null;
  const entry = findEntry(catalogue, source.from);
  return isCached(catalogue, entry) ? readCached(catalogue, entry) : null;
}

function describe(name: string, float: string, { speedUp, cosine, problem }: MachineCheck): string {
  const measured = `${name}: ${speedUp.toFixed(2)} times as fast as ${float} on this machine; cosine of features ${cosine.mean.toFixed(4)} in the mean, ${cosine.least.toFixed(4)} at least.`;
  return problem === null ? measured : `${measured} Not worth it: ${problem}. Servers stay with ${float}.`;
}
