import { rm } from 'node:fs/promises';
import { discoverClasses } from '../../core/discovery/discover-classes.js';
import { rowsBetween } from '../../core/matrix.js';
import { percent } from '../../core/percent.js';
import type { UnlabelledPool } from '../../trainer/adaptation/unlabelled-pool.js';
import { knownClasses } from '../discover/known-classes.js';
import { writeDiscovery, type ReportedDiscovery } from '../discover/write-report.js';
import { wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { sameCommandAgain, sayHowToResume } from '../say-how-to-resume.js';
import { describeLeftOut, openUnlabelled, type UnlabelledOptions } from '../unlabelled-inputs.js';

interface DiscoverOptions extends UnlabelledOptions {
  readonly registry?: string;
  readonly threads: number;
  readonly json?: boolean;
}

export const addDiscoverCommand: AddCommand = (program, run) => {
  program
    .command('discover')
    .description('Find classes that are missing: groups of pictures that are none of the known ones.')
    .requiredOption('--bundle <directory>', 'the model whose classes are known')
    .option('--registry <address>', 'also the classes that were added to this registry of a server are known')
    .option('--images <directory>', 'unlabelled pictures, in any folders')
    .option(
      '--data <directory>',
      'a dataset instead: its rows of split "none", or else all but training rows',
    )
    .requiredOption('--out <directory>', 'where to write the report; it must not exist')
    .option(
      '--threads <count>',
      'threads of ONNX Runtime; 0 for all cores that a container allows',
      wholeNumber,
      0,
    )
    .option('--json', 'print one JSON document, with every picture of every group')
    .addHelpText(
      'after',
      `
Labels are not read. OUT gets groups.html to look at, groups.csv and groups.json, and classes.csv: name the groups that are classes, remove
the lines of the others, and give it to "unseen classes add" with the server that is to know them. Pictures of each group lie in OUT/examples.
A run that was killed continues when the same command is given again; finished parts are kept in OUT.work.
Without --registry, classes that a server has beyond the bundle's count as missing. A server looks by itself, among pictures that it keeps, with
POST /pools/NAME/discover.

Examples:
  unseen discover --images camera --bundle bundles/cub --out found
  unseen classes add found/classes.csv
  unseen discover --images camera --bundle bundles/cub --registry sqlite:unseen-classes.db --out found-again`,
    )
    .action(async (options: DiscoverOptions) => {
      await run(options.json === true, async (context) => {
        const { out, images } = options;
        const { bundle, work, readPool } = await openUnlabelled(options, context);
        const table = await knownClasses(bundle, options.registry, context);
        const pool = await readPool();
        context.note(`Looking for groups among ${pool.features.rows} pictures …`);
        const features = rowsBetween(pool.features, 0, pool.features.rows);
        const { signal } = context;
        const discovery = await sayHowToResume(sameCommandAgain, () =>
          discoverClasses(bundle, table, features, { threads: options.threads, signal }),
        );
        const reported = await writeDiscovery(out, discovery, pool.names, images ?? null);
        await rm(work, { recursive: true, force: true });
        context.result(textOf(reported, pool, out), {
          out,
          pictures: discovery.pictures,
          groups: reported.groups,
          ungrouped: reported.ungrouped,
          leftOut: pool.leftOut,
        });
      });
    });
};

function textOf({ groups, ungrouped, advice }: ReportedDiscovery, pool: UnlabelledPool, out: string): string {
  const rest = [
    ...(ungrouped.length > 0 ? [`${advice} They are listed in ${out}/groups.json as "ungrouped".`] : []),
    ...pool.leftOut.map((one) => `Left out: ${describeLeftOut(one)}`),
  ];
  if (groups.length === 0)
    return [
      `No group among the ${pool.features.rows} pictures looks like a missing class. A class with fewer than about twenty pictures among them may be missed.`,
      ...rest,
      `Report: ${out}`,
    ].join('\n');
  return [
    `${groups.length} groups of pictures look like classes that the model does not know:`,
    ...groups.map(({ name, members, nearest, doubts }) => {
      const near = nearest.map((one) => `${one.name} ${percent(one.probability)} %`).join(', ');
      return [
        `  ${name}: ${members.length} pictures, such as ${members.slice(0, 2).join(' and ')}; taken for ${near}`,
        ...doubts.map((doubt) => `    ${doubt}`),
      ].join('\n');
    }),
    ...rest,
    `Look at ${out}/groups.html, name the classes in ${out}/classes.csv, then: unseen classes add ${out}/classes.csv`,
  ].join('\n');
}
