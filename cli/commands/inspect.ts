import { biasOriginInWords } from '../../trainer/evaluation/bias-origin.js';
import { remembered } from '../../trainer/report/gather/history.js';
import { noteInWords } from '../../core/head/attribute-words.js';
import { calibrationCaution } from '../../core/bundle/calibration-caution.js';
import { readBundle } from '../../core/bundle/read.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { describeEvidence } from '../../core/fitting/evidence.js';
import { percent } from '../../core/percent.js';
import type { AddCommand } from '../program.js';

export const addInspectCommand: AddCommand = (program, run) => {
  program
    .command('inspect')
    .description('Verify a bundle and show what is in it.')
    .argument('<bundle>', 'the bundle')
    .option('--json', 'print the whole manifest as JSON')
    .addHelpText(
      'after',
      `
Examples:
  unseen inspect bundles/cub
  unseen inspect bundles/cub --json | jq .configuration`,
    )
    .action(async (path: string, options: { json?: boolean }) => {
      await run(options.json === true, async (context) => {
        const { manifest, identity } = await readBundle(path);
        context.result(describe(manifest, identity), { identity, ...manifest });
      });
    });
};

function describe(manifest: Manifest, identity: string): string {
  const unseen = manifest.classes.filter(({ seen }) => !seen);
  const fewShot = unseen.filter((one) => one.fewShot);
  const given = fewShot.reduce((sum, one) => sum + one.fewShot!, 0);
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  const { head, featureMap, backbone } = manifest;
  return `${manifest.method} trained on ${manifest.dataset.name}, seed ${manifest.seed}
  identity    ${identity}
  classes     ${manifest.classes.length - unseen.length} seen, ${unseen.length} unseen${fewShot.length > 0 ? `, ${fewShot.length} of them few-shot with ${given} pictures in all` : ''}
  attributes  ${manifest.attributes.length}${notesOf(manifest)}
  features    ${featureMap.width} for each picture, ${featureMap.kind}
  backbone    ${backbone ? backbone.name : 'unknown: the features were given, not extracted'}
  bias        ${head.unseenBias.toFixed(3)} on unseen classes, useful from ${head.unseenBiasRange[0].toFixed(2)} to ${head.unseenBiasRange[1].toFixed(2)}${biasByCount(head)};
                ${biasOriginInWords(remembered(manifest).biasOrigin)}
  confidence  ${confidenceOf(manifest)}
  pictures    ${picturesInWords(head)}
  unlabelled  ${unlabelledInWords(head)}
  files       ${Object.keys(manifest.files).length}, ${(bytes / 2 ** 20).toFixed(1)} MiB, every hash verified`;
}

/** A line for each attribute of which the dataset says what it is. */
function notesOf({ attributes }: Manifest): string {
  return attributes
    .flatMap((attribute) => {
      const words = noteInWords(attribute);
      return words === '' ? [] : [`\n                ${attribute.name}: ${words}`];
    })
    .join('');
}

/** How much labelled pictures of a class count, added at runtime. */
function picturesInWords({ evidence }: Manifest['head']): string {
  return evidence === null
    ? 'how much they count beside attributes was not measured: typical values are used'
    : describeEvidence(evidence);
}

/** How unlabelled pictures are assigned, when the bundle is adapted to them. */
function unlabelledInWords({ assignment }: Manifest['head']): string {
  if (assignment === null)
    return 'how they are assigned to classes was not measured: typical values are used';
  const { epsilon, offset, mistakes, strength } = assignment;
  const worth =
    strength === 0
      ? 'they gained nothing on validation classes, so no class moves'
      : `one counts as ${strength} of a labelled picture`;
  return `${worth}; entropy ${epsilon}, offset of unseen classes ${offset}, mistakes ${mistakes} times those of training rows`;
}

function biasByCount({ unseenBiasClasses: classes, unseenBiasSlope: slope }: Manifest['head']): string {
  if (classes === null || slope === 0) return '';
  return `; for ${classes} of them competing, ${(slope * Math.LN2).toFixed(3)} for every doubling`;
}

function confidenceOf({ confidence }: Manifest): string {
  if (!confidence)
    return 'not calibrated: probabilities are not frequencies, and answers have no verdict. Train it again to measure both.';
  const { calibrationError, recognition } = confidence;
  const dryRun = recognition ? `; dry runs are off by ${percent(recognition.error)} % on average` : '';
  const caution = calibrationCaution(confidence);
  const doubt = caution === null ? '' : `; ${caution}`;
  return `calibrated on validation classes to within ${percent(calibrationError.all)} % (seen ${percent(calibrationError.seen)} %, unseen ${percent(calibrationError.unseen)} %)${dryRun}${doubt}`;
}
