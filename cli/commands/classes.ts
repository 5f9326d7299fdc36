import { Option } from 'commander';
import type { ClassListResponse, UnseenClient } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { keyOfLocalServer } from '../../server/local-servers.js';
import type { CommandContext } from '../context.js';
import { atServer, withServer, type ServerOptions } from '../at-server.js';
import type { AddCommand } from '../program.js';
import { addClasses, type AddOptions } from './classes-add.js';
import { addBackupCommands } from './classes-backup.js';
import { addExampleCommands } from './classes-examples.js';
import { addVersionCommands, listRemoved } from './classes-versions.js';

/** Classes of a running server: added from a table of attributes, listed, removed, restored. */
export const addClassesCommand: AddCommand = (program, run) => {
  const command = program
    .command('classes')
    .description(
      'Add classes to a running server from their attributes, pictures of them, or both; list and remove them.',
    );
  withServer(command.command('add'))
    .description(
      'Add every class of a CSV file (class,<attribute names>, one line per class), a thousand at a time, each thousand all or none. Empty cells are not known and are filled in; a column "like" names a class to take them from.',
    )
    .argument('<csv>', 'the table')
    .option('--examples <folder>', 'pictures to add: a folder for each class, named as in the table')
    .option(
      '--dry-run',
      'change nothing; show which classes the new ones would be confused with, and what is filled in',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  unseen classes add new-birds.csv --url http://127.0.0.1:8080\n  unseen classes add new-birds.csv --examples photos --dry-run',
    )
    .action(async (csv: string, options: ServerOptions & AddOptions) => {
      await atServer(run, options, (client, context) => addClasses(client, csv, options, context));
    });
  withServer(command.command('list'))
    .description('List the classes that can be recognised.')
    .addOption(
      new Option('--kind <kind>', 'list only classes of this kind').choices([
        ...['seen', 'unseen', 'added'],
        'runtime', // what the HTTP interface calls them
        'removed', // and can be restored
      ]),
    )
    .action(
      async (options: ServerOptions & { kind?: 'seen' | 'unseen' | 'added' | 'runtime' | 'removed' }) => {
        const kind = options.kind === 'added' ? 'runtime' : options.kind;
        await atServer(run, options, (client, context) =>
          kind === 'removed' ? listRemoved(client, context) : list(client, kind, context),
        );
      },
    );
  withServer(command.command('remove'))
    .description(
      'Remove classes that were added at runtime. For a month "unseen classes restore" brings them back.',
    )
    .argument('<name...>', 'their names')
    .action(async (names: string[], options: ServerOptions) => {
      await atServer(run, options, async (client, context) => {
        for (const name of names) await client.removeClass(name, '*', { signal: context.signal });
        context.result(`Removed: ${names.join(', ')}`, { removed: names });
      });
    });
  withServer(command.command('key'))
    .description('Print the key that a server on this machine made for itself, for other programs to send.')
    .addHelpText('after', '\nExample:\n  export UNSEEN_KEY=$(unseen classes key)')
    .action(async ({ url, key: given, json }: ServerOptions) => {
      await run(json === true, async (context) => {
        const key = given ?? (await keyOfLocalServer(url));
        if (key === undefined)
          throw new Failure(
            'server-unreachable',
            `None of your servers on this machine runs at ${url} with a key that it made for itself. If UNSEEN_ADMIN_KEYS is set there, use one of those keys.`,
          );
        context.result(key, { key });
      });
    });
  addVersionCommands(
    (name) => withServer(command.command(name)),
    (options, work) => atServer(run, options as ServerOptions, work),
  );
  const examples = command.command('examples').description('Pictures of a class: add, list and remove them.');
  addExampleCommands(
    (name) => withServer(examples.command(name)),
    (options, work) => atServer(run, options as ServerOptions, work),
  );
  addBackupCommands(
    (name) => withServer(command.command(name)),
    (options, work) => atServer(run, options as ServerOptions, work),
  );
};

async function list(
  client: UnseenClient,
  kind: 'seen' | 'unseen' | 'runtime' | undefined,
  context: CommandContext,
): Promise<void> {
  const classes: ClassListResponse['classes'] = [];
  let after: string | undefined;
  do {
    const page = await client.classes({ kind, limit: 1000, after, signal: context.signal });
    classes.push(...page.classes);
    after = page.next;
  } while (after !== undefined);
  const lines = classes.map(({ name, seen, runtime, examples, unusable }) => {
    const what = runtime ? 'added' : seen ? 'seen' : 'unseen';
    const pictures = examples === 0 ? '' : ` (${examples} ${examples === 1 ? 'picture' : 'pictures'})`;
    return `${what.padEnd(8)} ${name}${pictures}${unusable === undefined ? '' : ` (unusable: ${unusable})`}`;
  });
  context.result(lines.join('\n'), { classes });
}
