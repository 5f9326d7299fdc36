/**
 * Small data, as most users have it: subsets of a large dataset drawn with seeds, with few seen classes, few pictures, few or
 * constant attributes. For each case the product with its default settings beside the baselines, as means over the draws:
 *   npm run bench -- small-data CUB [--cases 8x10,12x20] [--draws 3] [--config FILE | --quick]
 * --config gives the product other settings; --quick leaves out the search and trains one generator instead of an ensemble.
 * The product is "below" where the better baseline is ahead by more than the noise of the test rows: half the width of its 95 %
 * interval, for the mean over the draws.
 */
import { parseArgs } from 'node:util';
import { loadDataset } from '../trainer/datasets/load.js';
import { openEngine } from '../trainer/engine/open.js';
import { readConfiguration } from '../trainer/read-configuration.js';
import { drawCase, smallCases } from './small-data/cases.js';
import { quickConfiguration, smallDataMethods, type Judgement } from './small-data/methods.js';
import { percent } from '../core/percent.js';
import { mean } from '../core/mean.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string' },
    draws: { type: 'string', default: '3' },
    threads: { type: 'string', default: '1' },
    config: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const [path] = positionals;
if (!path) {
  console.error(
    'Usage: npm run bench -- small-data CUB [--cases 8x10,12x20] [--draws 3] [--threads 1] [--config FILE | --quick]',
  );
  process.exit(2);
}
const wanted = values.cases?.split(',');
const cases = smallCases.filter(({ name }) => !wanted || wanted.includes(name));
const draws = Number(values.draws);
const dataset = await loadDataset(path);
const engine = await openEngine('onnx', { provider: 'cpu', threads: Number(values.threads) });
const configuration = values.quick
  ? quickConfiguration
  : await readConfiguration({ ...(values.config && { file: values.config }) });
const methods = smallDataMethods(engine, configuration);
const [product, ...baselines] = methods;

type Metric = 'harmonicMean' | 'top1';
const figures: readonly Metric[] = ['harmonicMean', 'top1'];
const titles: Readonly<Record<Metric, string>> = { harmonicMean: 'H', top1: 'top-1' };

console.log(
  `${draws} draws of each case; mean accuracy over classes in %, ± the noise of the test rows (95 %).`,
);
const below: string[] = [];
for (const one of cases) {
  const found = new Map<string, Judgement[]>(methods.map(({ name }) => [name, []]));
  const seconds: number[] = [];
  for (let draw = 1; draw <= draws; draw++) {
    const small = drawCase(dataset, one, draw);
    for (const { name, judge } of methods) {
      const started = processorSeconds();
      found.get(name)!.push(await judge(small));
      if (name === product.name) seconds.push(processorSeconds() - started);
    }
  }
  console.log(
    `${one.name}: ${one.description}   (${mean(seconds).toFixed(1)} s of processor time for each training)`,
  );
  for (const figure of figures) report(one.name, figure, found);
}
console.log(
  below.length === 0
    ? `The product is nowhere below the better baseline by more than the noise: ${cases.length} cases.`
    : `Below the better baseline by more than the noise: ${below.join(', ')}.`,
);

function report(name: string, figure: Metric, found: ReadonlyMap<string, readonly Judgement[]>): void {
  const means = methods.map((method) => mean(found.get(method.name)!.map((judged) => judged[figure].value)));
  const ours = found.get(product.name)!;
  // Draws have rows of their own, so that their errors are independent.
  const noise = Math.hypot(...ours.map((judged) => width(judged[figure].interval) / 2)) / ours.length;
  const gap = means[0] - Math.max(...means.slice(1));
  const best = baselines[means.slice(1).indexOf(Math.max(...means.slice(1)))].name;
  const isBelow = gap < -noise;
  if (isBelow) below.push(`${name} ${titles[figure]} (${percent(gap)})`);
  console.log(
    `  ${titles[figure].padEnd(6)}` +
      methods.map((method, i) => `${method.name} ${percent(means[i]).padStart(5)}`).join('   ') +
      `   ± ${percent(noise)}   ${gap < 0 ? '' : '+'}${percent(gap)} to ${best}${isBelow ? '   BELOW' : ''}`,
  );
}

/** Of this process: unlike the time on the clock it hardly depends on what else the machine does. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function width([low, high]: readonly [number, number]): number {
  return high - low;
}
