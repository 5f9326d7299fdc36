/** `unseen classes examples add|list|remove`: pictures of a class of a running server. */
import type { Command } from 'commander';
import type { UnseenClient } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import type { AtServer } from '../at-server.js';
import { picturesNamed } from '../classify/find-pictures.js';
import type { CommandContext } from '../context.js';
import { addPictures } from '../send-pictures.js';

export function addExampleCommands(command: (name: string) => Command, atServer: AtServer): void {
  command('add')
    .description(
      'Add pictures of a class, including the classes of the model itself. Features are stored, never pictures.',
    )
    .argument('<class>', 'its name')
    .argument('<picture-or-folder...>', 'pictures (JPEG, PNG or WebP), or folders that hold some')
    .addHelpText(
      'after',
      '\nExamples:\n  unseen classes examples add "Tiger lily" photos/*.jpg\n  unseen classes examples add "Tiger lily" photos',
    )
    .action((name: string, given: string[], options: object) =>
      atServer(options, async (client, context) => {
        await add(client, name, await picturesNamed(given, context), context);
      }),
    );
  command('list')
    .description('List the example pictures of a class: when each was added and by whom.')
    .argument('<class>', 'its name')
    .action((name: string, options: object) =>
      atServer(options, async (client, context) => {
        const answer = await client.listExamples(name, { signal: context.signal });
        const lines = answer.examples.map(({ id, createdAt, by, usable }) => {
          return `${id}  ${createdAt}  ${by ?? '-'}${usable ? '' : '  (made with another network: add it again)'}`;
        });
        context.result(lines.length > 0 ? lines.join('\n') : `"${name}" has no example pictures.`, answer);
      }),
    );
  command('remove')
    .description('Remove example pictures of a class.')
    .argument('<class>', 'its name')
    .option('--id <id>', 'the example with this id, as shown by list')
    .option('--all', 'all of them')
    .action((name: string, options: { readonly id?: string; readonly all?: boolean }) =>
      atServer(options, async (client, context) => {
        const { id, all = false } = options;
        if ((id === undefined) !== all)
          throw new Failure('usage', 'Name one example with --id, or remove all of them with --all.');
        await client.removeExamples(name, id, { signal: context.signal });
        context.result(`Removed ${id ?? 'all example pictures'} of "${name}".`, {
          name,
          removed: id ?? 'all',
        });
      }),
    );
}

async function add(
  client: UnseenClient,
  name: string,
  files: readonly string[],
  context: CommandContext,
): Promise<void> {
  const progress = files.length > 1 ? context.progress('Adding pictures', files.length) : undefined;
  let done = 0;
  const answer = await addPictures(client, name, files, context.signal, (count) => {
    done += count;
    progress?.update(done);
  }).catch((error: unknown) => {
    progress?.stop();
    if (done > 0)
      context.note(`${done} of ${files.length} pictures were sent. Run the command again for the rest.`);
    throw error;
  });
  progress?.stop();
  const { sent, ...rest } = answer;
  const { added, examples, registryRevision } = rest;
  context.result(
    `${added} added, ${sent - added} were there already; "${name}" has ${examples} example pictures (registry revision ${registryRevision}).`,
    rest,
  );
}
