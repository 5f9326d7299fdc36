import type { Command } from 'commander';
import { loadCatalogue } from '../../core/backbone/catalogue.js';
import { quantiseBackbone } from '../../core/backbone/quantisation/quantise-backbone.js';
import { describeCheck } from '../machine-check-line.js';
import { count } from '../numbers.js';
import type { Runner } from '../program.js';

interface QuantiseOptions {
  readonly pictures: string;
  readonly name?: string;
  readonly count: number;
  readonly json?: boolean;
}

/** A subcommand of `unseen backbone`. */
export function addQuantiseCommand(backbone: Command, run: Runner): void {
  backbone
    .command('quantise')
    .description(
      'Make an int8 network of a float one, calibrated on your pictures: smaller, and faster on processors with int8 instructions.',
    )
    .argument('<name>', 'a convolutional backbone of the list')
    .requiredOption('--pictures <folder>', 'pictures like those that it will see; folders in it count too')
    .option('--name <name>', 'what to call it (default: the same with "-int8" at its end)')
    .option('--count <number>', 'how many pictures to calibrate on, evenly spread over the folder', count, 64)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Convolutions, additions, maximum pooling and Gemm are computed in integers; everything else stays float. A network that
cannot be quantised is rejected with the operator that stands in the way.

Example:
  unseen backbone quantise resnet50-imagenet --pictures PICTURES --name resnet50-birds-int8`,
    )
    .action(async (from: string, options: QuantiseOptions) => {
      await run(options.json === true, async (context) => {
        const name = options.name ?? `${from}-int8`;
        const { pictures, count: most } = options;
        const made = await quantiseBackbone(loadCatalogue(), { from, name, pictures, count: most }, context);
        const {
          ranges,
          leftOut,
          check,
          backbone: { entry },
        } = made;
        context.result(
          `${name} is ready: calibrated on ${made.pictures.length} pictures, ${(made.backbone.model.length / 1e6).toFixed(1)} MB, sha256 ${made.backbone.identity.sha256 ?? ''}. Extract and train with --backbone ${name}; a bundle that was trained with ${from} is served with it by --backbone ${name} --backbone-variant int8.\n${describeCheck(name, from, made.check)}`,
          { ...entry, ranges, pictures: made.pictures, leftOut, check },
        );
      });
    });
}
