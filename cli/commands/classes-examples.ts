/** `unseen classes examples add|list|remove`: pictures of a class of a running server. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { NamedPicture, UnseenClient } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import type { CommandContext } from '../context.js';

type Work = (client: UnseenClient, context: CommandContext) => Promise<void>;
type AtServer = (options: object, work: Work) => Promise<void>;

/** A server takes 16 pictures and 20 MB in one request by default. */
const maxPictures = 16;
const maxBytes = 18_000_000;

export function addExampleCommands(command: (name: string) => Command, atServer: AtServer): void {
  command('add')
    .description(
      'Add pictures of a class, of one that the model has itself too. Features are stored, never pictures.',
    )
    .argument('<class>', 'its name')
    .argument('<picture...>', 'JPEG, PNG or WebP')
    .addHelpText('after', '\nExample:\n  unseen classes examples add "Tiger lily" photos/*.jpg')
    .action((name: string, files: string[], options: object) =>
      atServer(options, (client, context) => add(client, name, files, context)),
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
    .option('--id <id>', 'the one that list shows under this id')
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
  const answers = [];
  let done = 0;
  for (const part of inRequests(await Promise.all(files.map(readPicture)))) {
    const answer = await client
      .addExamples(name, part, { signal: context.signal })
      .catch((error: unknown) => {
        if (done > 0)
          context.note(`${done} of ${files.length} pictures were sent. Run the command again for the rest.`);
        throw error;
      });
    done += part.length;
    answers.push(answer);
  }
  const added = answers.reduce((sum, answer) => sum + answer.added, 0);
  const last = answers.at(-1)!;
  const { examples, registryRevision } = last;
  const pictures = answers.flatMap((answer) => answer.pictures);
  context.result(
    `${added} added, ${files.length - added} were there already; "${name}" has ${examples} example pictures (registry revision ${registryRevision}).`,
    { ...last, added, pictures },
  );
}

async function readPicture(file: string): Promise<NamedPicture & { readonly picture: Buffer }> {
  const picture = await readFile(file).catch((error: unknown) => {
    throw new Failure('image-invalid', `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  });
  return { name: basename(file), picture };
}

type ReadPicture = Awaited<ReturnType<typeof readPicture>>;

function inRequests(pictures: readonly ReadPicture[]): ReadPicture[][] {
  const parts: ReadPicture[][] = [];
  let bytes = 0;
  for (const one of pictures) {
    const part = parts.at(-1);
    if (!part || part.length === maxPictures || bytes + one.picture.length > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(one);
    bytes += one.picture.length;
  }
  return parts;
}
