import { readFile } from 'node:fs/promises';
import { UnseenProblem, type GroupListResponse, type UnseenClient } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import { atServer, withServer, type ServerOptions } from '../at-server.js';
import type { CommandContext } from '../context.js';
import type { AddCommand } from '../program.js';

interface SetOptions extends ServerOptions {
  readonly file?: string;
  readonly family?: string;
}

/** Groups of classes on a running server: by them a request says which classes may answer. */
export const addGroupsCommand: AddCommand = (program, run) => {
  const command = program
    .command('groups')
    .description('Named lists of classes on a running server: make, list and remove them.');
  withServer(command.command('set'))
    .description('Make a group, or replace it.')
    .argument('<name>', 'its name')
    .argument('[class...]', 'names of its classes')
    .option('--file <file>', 'a text file with more of them, one name on each line')
    .option(
      '--family <family>',
      'the set of groups that it belongs to, for classify --group-by; one that is replaced keeps its own, "" takes it away',
    )
    .addHelpText(
      'after',
      `
Examples:
  unseen groups set nordic Sweden Norway Denmark --family region
  unseen groups set garden-birds --file garden-birds.txt`,
    )
    .action(async (name: string, classes: string[], options: SetOptions) => {
      await atServer(run, options, async (client, context) => {
        const content = {
          classes: [...classes, ...(options.file === undefined ? [] : await namesIn(options.file))],
          family:
            options.family === undefined ? await familyOf(name, client, context) : options.family || null,
        };
        const answer = await client.putGroup(name, content, { etag: '*', signal: context.signal });
        const { size, family, registryRevision } = answer;
        const has = `${size} ${size === 1 ? 'class' : 'classes'}${family === null ? '' : ` in the family "${family}"`}`;
        context.result(`"${name}" has ${has} (registry revision ${registryRevision}).`, answer);
      });
    });
  withServer(command.command('list'))
    .description('List the groups with their classes.')
    .action(async (options: ServerOptions) => {
      await atServer(run, options, list);
    });
  withServer(command.command('remove'))
    .description('Remove groups; their classes stay.')
    .argument('<name...>', 'their names')
    .action(async (names: string[], options: ServerOptions) => {
      await atServer(run, options, async (client, context) => {
        for (const name of names) await client.removeGroup(name, '*', { signal: context.signal });
        context.result(`Removed: ${names.join(', ')}`, { removed: names });
      });
    });
};

/** Of the group as it is; null where there is none. */
async function familyOf(
  name: string,
  client: UnseenClient,
  { signal }: CommandContext,
): Promise<string | null> {
  try {
    return (await client.group(name, { signal })).family;
  } catch (error) {
    if (error instanceof UnseenProblem && error.code === 'not-found') return null;
    throw error;
  }
}

async function list(client: UnseenClient, context: CommandContext): Promise<void> {
  const groups: GroupListResponse['groups'] = [];
  let after: string | undefined;
  do {
    const page = await client.groups({ limit: 1000, classes: true, after, signal: context.signal });
    groups.push(...page.groups);
    after = page.next;
  } while (after !== undefined);
  const lines = groups.map(({ name, family, classes = [], missing = [] }) => {
    const note = missing.length > 0 ? ` (not here: ${missing.join(', ')})` : '';
    return `${name}${family === null ? '' : ` [${family}]`}: ${classes.join(', ')}${note}`;
  });
  context.result(lines.join('\n') || 'There are no groups.', { groups });
}

async function namesIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure('dataset-not-found', `Cannot read ${file}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  });
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
