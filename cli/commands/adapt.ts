import { rm } from 'node:fs/promises';
import type { Adaptation } from '../../core/adaptation/adaptation.js';
import { releaseRows } from '../../core/matrix.js';
import { percent } from '../../core/percent.js';
import { adaptBundle, requireAdaptable, writeAdapted } from '../../trainer/adaptation/adapt-bundle.js';
import type { UnlabelledPool } from '../../trainer/adaptation/unlabelled-pool.js';
import { wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { sameCommandAgain, sayHowToResume } from '../say-how-to-resume.js';
import { describeLeftOut, openUnlabelled, type UnlabelledOptions } from '../unlabelled-inputs.js';

interface AdaptChoices extends UnlabelledOptions {
  readonly threads: number;
  readonly json?: boolean;
}

const shown = 10;

export const addAdaptCommand: AddCommand = (program, run) => {
  program
    .command('adapt')
    .description('Make a bundle that has learnt from unlabelled pictures where its unseen classes lie.')
    .requiredOption('--bundle <directory>', 'the bundle to start from; it is not changed')
    .option('--images <directory>', 'unlabelled pictures, in any folders')
    .option(
      '--data <directory>',
      'a dataset instead: its rows of split "none", or else all but training rows',
    )
    .option('--examples <directory>', 'labelled pictures beside them: a folder for each class, with its name')
    .requiredOption('--out <directory>', 'the bundle to make; it must not exist')
    .option(
      '--threads <count>',
      'threads of ONNX Runtime; 0 for all cores that a container allows',
      wholeNumber,
      0,
    )
    .option('--json', 'print one JSON document, with every class and every picture that looks like none')
    .addHelpText(
      'after',
      `
Labels are not read. Seen classes stay as they are; an unseen class moves only as far as its pictures exceed what pictures of seen classes
explain. Pictures of --examples count with their class from the start, for seen classes too. A run that was killed continues when the same command is given again; finished parts are kept in OUT.work.

Examples:
  unseen adapt --bundle bundles/cub --images camera --out bundles/cub-camera
  unseen adapt --bundle bundles/cub --images camera --examples labelled --out bundles/cub-camera
  unseen adapt --bundle bundles/cub --data data/unlabelled --out bundles/cub-adapted`,
    )
    .action(async (options: AdaptChoices) => {
      await run(options.json === true, async (context) => {
        const { out } = options;
        const { bundle, work, readPool, readLabelled } = await openUnlabelled(options, context);
        requireAdaptable(bundle);
        const pool = await readPool();
        const labelled = await readLabelled();
        context.note(`Adapting to ${pool.features.rows} pictures …`);
        const { signal } = context;
        const adapted = await sayHowToResume(sameCommandAgain, () =>
          adaptBundle(bundle, pool.features, { threads: options.threads, labelled, signal }),
        ).finally(() => {
          releaseRows(pool.features);
        });
        await writeAdapted(out, adapted);
        await rm(work, { recursive: true, force: true });
        context.result(textOf(adapted.adaptation, pool, out), valueOf(adapted.adaptation, pool, out));
      });
    });
};

function textOf(adaptation: Adaptation, pool: UnlabelledPool, out: string): string {
  const { classes, none, unseenShare, expected, warnings } = adaptation;
  const unseen = classes.filter(({ seen }) => !seen).toSorted((a, b) => b.pictures - a.pictures);
  const moved = unseen.filter(({ assigned }) => assigned !== null);
  return [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `${moved.length} of ${unseen.length} unseen classes moved. About ${percent(unseenShare)} % of the pictures are of unseen classes, ${percent(none.share)} % of none of the classes.`,
    'pictures  of them explained by seen classes  counted as  moved by (1 - cosine)  class',
    ...unseen
      .slice(0, shown)
      .map(
        (one) =>
          `${one.pictures.toFixed(1).padStart(8)}  ${one.byMistake.toFixed(1).padStart(33)}  ${(one.assigned?.pictures ?? 0).toFixed(1).padStart(10)}  ${one.moved.toFixed(3).padStart(21)}  ${one.name}`,
      ),
    ...(unseen.length > shown ? [`… and ${unseen.length - shown} more; --json lists all.`] : []),
    ...Array.from(none.rows.slice(0, shown), (row) => `Looks like none of the classes: ${pool.names[row]}`),
    ...(none.rows.length > shown ? [`… and ${none.rows.length - shown} more.`] : []),
    ...pool.leftOut.map((one) => `Left out: ${describeLeftOut(one)}`),
    ...(expected
      ? [
          `Pictures that were held out: log-likelihood ${expected.before.toFixed(3)} before, ${expected.after.toFixed(3)} after.`,
        ]
      : []),
    `Bundle: ${out}`,
  ].join('\n');
}

function valueOf(adaptation: Adaptation, pool: UnlabelledPool, out: string): unknown {
  const { classes, none, ...rest } = adaptation;
  return {
    out,
    ...rest,
    none: { share: none.share, pictures: Array.from(none.rows, (row) => pool.names[row]) },
    classes: classes.map(({ assigned, ...one }) => ({ ...one, countedAs: assigned?.pictures ?? 0 })),
    leftOut: pool.leftOut,
  };
}
