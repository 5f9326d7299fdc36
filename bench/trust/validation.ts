/** How the measures of confidence were chosen: every candidate on folds of validation classes, fitted on all folds but the one that it is judged on. */
import { noveltyOf } from '../../core/head/novelty/scale.js';
import { noveltyScore } from '../../core/head/novelty/score.js';
import { expectedRecognition, likenessOf } from '../../core/fitting/recognition.js';
import { mean } from '../../core/mean.js';
import { percent } from '../../core/percent.js';
import { Random } from '../../core/random.js';
import { usualUnknownAt } from '../../core/head/verdict.js';
import { fitNovelty, signsOf, type BiasFor } from '../../trainer/confidence/novelty.js';
import { fitAlikeClasses } from '../../trainer/confidence/alike-classes.js';
import {
  judgedClasses,
  leastSquares,
  restsOf,
  type JudgedClass,
} from '../../trainer/confidence/recognition.js';
import { chooseSharpness, errorsAt, type ChosenSharpness } from '../../trainer/confidence/sharpness.js';
import { readConfiguration } from '../../trainer/read-configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { openEngine } from '../../trainer/engine/open.js';
import { biasFor as biasAt, chooseBias } from '../../trainer/selection/bias.js';
import { areasOf, combinations, fitCombination, signalsOf, type SignalRow } from './candidates.js';
import { makeCandidateFold, type CandidateFold } from './candidate-folds.js';
import { correlation, correlationInterval } from './correlation.js';

const drawsPerFold = 4;
const withSign = (share: number): string => `${percent(share)} %`;

export async function reportValidation(dataset: Dataset, count: number): Promise<void> {
  const defaults = await readConfiguration({});
  const configuration = { ...defaults, generator: { ...defaults.generator, epochs: 1 } };
  const engine = await openEngine('onnx', { provider: 'cpu', threads: 1 });
  const candidates: CandidateFold[] = [];
  for (let fold = 0; fold < count; fold++) {
    candidates.push(await makeCandidateFold(dataset, configuration, engine, fold));
    const { heldOut, labels, isUnseen } = candidates[fold].sample;
    const unseen = isUnseen.reduce((sum, one) => sum + one, 0);
    console.log(
      `Fold ${fold + 1}: ${isUnseen.length - unseen} seen classes, ${heldOut.length} held out, ${unseen - heldOut.length} rivals, ${labels.length} rows`,
    );
  }
  reportFolds(candidates);
}

function reportFolds(candidates: readonly CandidateFold[]): void {
  const bias = chooseBias(candidates);
  const biasFor: BiasFor = (competing) => biasAt(bias, competing);
  const folds = candidates.map(({ sample, competing }) => ({ ...sample, unseenBias: biasFor(competing!) }));
  const sharpness = reportSharpness(folds);
  reportSignals(candidates, sharpness, biasFor);
  reportFalseAlarms(folds, sharpness, biasFor);
  reportDryRuns(folds, sharpness, candidates[0].alikeness);
}

type Fold = CandidateFold['sample'] & { readonly unseenBias: number };
const others = <T>(list: readonly T[], own: number): T[] => list.filter((_, i) => i !== own);

function reportSharpness(folds: readonly Fold[]): ChosenSharpness[] {
  console.log(
    '\nExpected calibration error (fitted on the other folds)          all   seen  unseen   sharpness',
  );
  let chosen: ChosenSharpness[] = [];
  for (const [name, factor] of [
    ['one sharpness', 1],
    ['one by the kind of the best class (in use)', 2],
  ] as const) {
    chosen = folds.map((_, i) => chooseSharpness(others(folds, i), factor));
    const errors = chosen.map((one, i) => errorsAt([folds[i]], one));
    const pooled = (['all', 'seen', 'unseen'] as const).map((side) =>
      withSign(mean(errors.map((e) => e[side]))),
    );
    const shown = [chosen[0].sharpness, chosen[0].unseenSharpness]
      .map((value) => value.toFixed(2))
      .join(' and ');
    console.log(`  ${name.padEnd(60)} ${pooled.join('  ')}   ${shown}`);
  }
  return chosen;
}

function drawsOf({ heldOut }: Fold | CandidateFold['sample']): ReadonlySet<number>[] {
  const random = Random.stream(1, 'left-out');
  return Array.from(
    { length: drawsPerFold },
    () => new Set(random.shuffle(heldOut.slice()).subarray(0, heldOut.length / 2)),
  );
}

function reportSignals(
  candidates: readonly CandidateFold[],
  sharpness: readonly ChosenSharpness[],
  biasFor: BiasFor,
): void {
  const draws = candidates.map((candidate, i) =>
    drawsOf(candidate.sample).map((left) => signalsOf(candidate, left, sharpness[i], biasFor)),
  );
  const print = (name: string, areas: readonly (readonly number[])[]): void => {
    const [seen, described, both] = [0, 1, 2].map((k) => mean(areas.map((area) => area[k])));
    const spread = Math.sqrt(mean(areas.map((area) => (area[2] - both) ** 2)));
    console.log(
      `  ${name.padEnd(34)} ${both.toFixed(3)}   ${seen.toFixed(3)}  ${described.toFixed(3)}   ${spread.toFixed(3)}`,
    );
  };
  console.log(
    `\nRows of left-out classes, area under the curve of       both   seen   by attributes   deviation over ${candidates.length * drawsPerFold} draws`,
  );
  const names = Object.keys(draws[0][0][0].signals);
  const single = names.map((name) => ({
    name,
    areas: draws.flat().map((rows) => areasOf(rows, (one) => one[name])),
  }));
  single.sort((a, b) => mean(b.areas.map((area) => area[2])) - mean(a.areas.map((area) => area[2])));
  for (const { name, areas } of single) print(name, areas);
  console.log('Combined, fitted on the other folds');
  for (const [name, parts] of Object.entries(combinations)) {
    const areas = draws.flatMap((own, i) => {
      const fitted = fitCombination(others(draws, i).flat<SignalRow[][][], 2>(2), parts);
      return own.map((rows) => areasOf(rows, fitted));
    });
    print(name, areas);
  }
}

function reportFalseAlarms(
  folds: readonly Fold[],
  sharpness: readonly ChosenSharpness[],
  biasFor: BiasFor,
): void {
  const kinds = [
    'seen',
    'by attributes',
    'seen, some left out',
    'by attributes, some left out',
    'left out',
  ] as const;
  const shares = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<
    (typeof kinds)[number],
    number[]
  >;
  folds.forEach((fold, i) => {
    const fitted = fitNovelty(others(folds, i), sharpness[i], biasFor);
    const calledOf = (left: ReadonlySet<number>, picked: (label: number) => boolean): number => {
      const rows = signsOf(fold, left, sharpness[i], biasFor).filter((_, row) => picked(fold.labels[row]));
      const called = rows.filter(
        ({ signs }) => noveltyOf(noveltyScore(signs, fitted), fitted) >= usualUnknownAt,
      );
      return called.length / rows.length;
    };
    shares.seen.push(calledOf(new Set(), (label) => !fold.isUnseen[label]));
    shares['by attributes'].push(calledOf(new Set(), (label) => fold.isUnseen[label] === 1));
    for (const left of drawsOf(fold)) {
      shares['left out'].push(calledOf(left, (label) => left.has(label)));
      shares['seen, some left out'].push(calledOf(left, (label) => !fold.isUnseen[label]));
      shares['by attributes, some left out'].push(
        calledOf(left, (label) => fold.isUnseen[label] === 1 && !left.has(label)),
      );
    }
  });
  console.log(
    `\nCalled unknown at ${usualUnknownAt}, fitted on the other folds (mean, least and most of a fold)`,
  );
  for (const [kind, values] of Object.entries(shares))
    console.log(
      `  ${kind.padEnd(34)} ${withSign(mean(values))}   ${withSign(Math.min(...values))} to ${withSign(Math.max(...values))}`,
    );
}

function reportDryRuns(
  folds: readonly Fold[],
  sharpness: readonly ChosenSharpness[],
  attributes: CandidateFold['alikeness'],
): void {
  const classes = folds.map((fold, i) => judgedClasses(fold, sharpness[i]));
  console.log(
    '\nRecognition of held-out classes, expected by             correlation (95 %)   mean difference   error',
  );
  const without = {
    'the promise alone': { nearest: 0, crowded: 0 },
    '… and the nearest seen class': { crowded: 0 },
    '… and crowding (in use, with classes that are alike)': {},
  };
  const reached = classes.flat().map((one) => one.reached);
  const print = (name: string, expected: readonly number[]): void => {
    const errors = expected.map((value, i) => Math.abs(value - reached[i]));
    const [from, to] = correlationInterval(expected, reached, Random.stream(1, 'correlation'));
    console.log(
      `  ${name.padEnd(54)} ${correlation(expected, reached).toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})   ${withSign(mean(expected) - mean(reached))}   ${withSign(mean(errors))}`,
    );
  };
  print(
    'what was promised, as it is',
    classes.flat().map((one) => one.promised),
  );
  for (const [name, blank] of Object.entries(without)) {
    const blanked = classes.map((list) => list.map((one): JudgedClass => ({ ...one, ...blank })));
    print(
      name,
      blanked.flatMap((list, i) => {
        const fitted = leastSquares(others(blanked, i).flat());
        return list.map((one) => expectedRecognition({ ...one, alike: 0 }, fitted));
      }),
    );
  }
  const { encodedOf, scale } = attributes;
  print(
    // Classes of the other worlds were judged beside pictures of this one's, which training has not: too good by 0.05 (docs/experiments.md).
    '… and classes that are alike, of other worlds (flatters)',
    classes.flatMap((list, i) => {
      const judged = others(classes, i).flat();
      const fitted = leastSquares(judged);
      const carried = fitAlikeClasses(restsOf(judged, fitted), encodedOf, scale)?.alike;
      return list.map((one) => {
        const own = encodedOf(one.name);
        const parts = carried?.classes.map(
          (name, h) => carried.coefficients[h] * likenessOf(own, encodedOf(name), scale),
        );
        const alike = parts?.reduce((sum, part) => sum + part, 0) ?? 0;
        return expectedRecognition({ ...one, alike }, fitted);
      });
    }),
  );
}
