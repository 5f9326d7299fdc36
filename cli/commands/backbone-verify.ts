import { Option, type Command } from 'commander';
import { availableCores } from '../../core/available-cores.js';
import { isCached, readCached, type Backbone } from '../../core/backbone/backbone.js';
import {
  findEntry,
  loadCatalogue,
  type BackboneEntry,
  type Catalogue,
} from '../../core/backbone/catalogue.js';
import { Extractor } from '../../core/backbone/extractor.js';
import { pictureSize } from '../../core/backbone/picture-tensor.js';
import {
  checkOnThisMachine,
  type MachineCheck,
} from '../../core/backbone/quantisation/check/machine-check.js';
import { halfPrecision } from '../../core/backbone/quantisation/half-backbone.js';
import { providers, type Provider } from '../../core/compute/session.js';
import type { CommandContext } from '../context.js';
import { describeCheck } from '../machine-check-line.js';
import { count } from '../numbers.js';
import type { Runner } from '../program.js';

interface VerifyOptions {
  readonly threads: number;
  readonly provider: Provider;
  readonly fp16?: boolean;
  readonly json?: boolean;
}

/** A subcommand of `unseen backbone`. */
export function addVerifyCommand(backbone: Command, run: Runner): void {
  backbone
    .command('verify')
    .description(
      'Compare the downloaded weights with their hashes, run each network once, and measure what fewer bits gain here.',
    )
    .argument('[names...]', 'which ones (default: all whose weights are on this machine)')
    .option('--threads <number>', 'threads to measure with', count, availableCores())
    .addOption(new Option('--provider <name>', 'where to measure').choices(providers).default('cpu'))
    .option('--fp16', 'measure float networks in half precision, too, as a server on a GPU runs them')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
An int8 network is compared with the float one that it was made of on six photographs. A server stays with the float one
where int8 is less than 1.3 times as fast, or a picture's features have a cosine below 0.97 to the float ones. Half
precision has to be as much faster, with a cosine of 0.999.

Examples:
  unseen backbone verify
  unseen backbone verify --provider cuda --fp16`,
    )
    .action(async (names: string[], options: VerifyOptions) => {
      await run(options.json === true, (context) => verify(names, options, context));
    });
}

async function verify(
  names: readonly string[],
  { threads, provider, fp16 = false }: VerifyOptions,
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
    const measure = async (label: string, network: Backbone, float: Backbone): Promise<void> => {
      const options = { threads, provider, anew: true };
      const check = await checkOnThisMachine(network, () => Promise.resolve(float), options);
      checks[label] = check;
      lines.push(describeCheck(label, float.entry.name, check));
    };
    const float = await floatOf(catalogue, entry);
    if (float) await measure(entry.name, backbone, float);
    else if (fp16 && backbone.precision === 'fp32')
      await measure(`${entry.name} in fp16`, await halfPrecision(backbone), backbone);
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
