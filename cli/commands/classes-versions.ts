/** `unseen classes versions` and `restore`: what a class was before each change, and how to get it back. */
import type { Command } from 'commander';
import type { RemovedListResponse, UnseenClient, VersionResponse } from '../../client/index.js';
import type { AtServer } from '../at-server.js';
import type { CommandContext } from '../context.js';
import { count } from '../numbers.js';

/** Of the attributes that a change gave other values, so many are shown. */
const maxShown = 3;

export function addVersionCommands(command: (name: string) => Command, atServer: AtServer): void {
  command('versions')
    .description('List what a class was after each change, newest first; works for removed classes, too.')
    .argument('<class>', 'its name')
    .addHelpText('after', '\nExample:\n  unseen classes versions "Tiger lily"')
    .action((name: string, options: object) =>
      atServer(options, async (client, context) => {
        const versions = await readVersions(client, name, context);
        const lines = versions.map((one, i) => lineOf(one, versions.at(i + 1)));
        const none = `"${name}" has not been changed while serving.`;
        context.result(lines.join('\n') || none, { name, versions });
      }),
    );
  command('restore')
    .description(
      'Restore a class, even a removed one, with the attributes and pictures of an earlier version. This is a change like any other.',
    )
    .argument('<class>', 'its name')
    .argument('<version>', 'its number, as "unseen classes versions" lists it', count)
    .addHelpText(
      'after',
      '\nExamples:\n  unseen classes list --kind removed\n  unseen classes versions "Tiger lily"\n  unseen classes restore "Tiger lily" 2',
    )
    .action((name: string, version: number, options: object) =>
      atServer(options, async (client, context) => {
        const { signal } = context;
        const answer = await client.restoreVersion(name, version, { etag: '*', signal });
        const { registryRevision } = answer;
        const what = contentOf(Object.keys(answer.attributes).length, answer.examples);
        const lines = [
          `"${answer.name}" is as in version ${version}: ${what} (registry revision ${registryRevision}).`,
          ...(answer.warnings ?? []).map((warning) => `  warning: ${warning}`),
        ];
        context.result(lines.join('\n'), answer);
      }),
    );
}

/** The last removed first, with what brings each back. */
export async function listRemoved(client: UnseenClient, context: CommandContext): Promise<void> {
  const { signal } = context;
  const classes: RemovedListResponse['classes'] = [];
  let after: string | undefined;
  do {
    const page = await client.removedClasses({ limit: 1000, after, signal });
    classes.push(...page.classes);
    after = page.next;
  } while (after !== undefined);
  const lines = classes
    .toSorted((a, b) => b.removedAt.localeCompare(a.removedAt))
    .map(
      ({ name, removedAt, by, version, attributes, examples, keptUntil }) =>
        `removed ${timeOf(removedAt)} by ${by ?? '-'}  ${name}: version ${version} had ${contentOf(attributes, examples)}, kept until ${timeOf(keptUntil)}`,
    );
  context.result(lines.join('\n') || 'There are no removed classes to restore.', { classes });
}

async function readVersions(
  client: UnseenClient,
  name: string,
  { signal }: CommandContext,
): Promise<VersionResponse[]> {
  const limit = 1000;
  const all: VersionResponse[] = [];
  for (;;) {
    const { versions } = await client.versions(name, { limit, before: all.at(-1)?.number, signal });
    all.push(...versions);
    if (versions.length < limit) return all;
  }
}

function lineOf(version: VersionResponse, former: VersionResponse | undefined): string {
  const { number, at, by, removed, current, attributes, examples = 0 } = version;
  // Of a class that the model has itself only the pictures change.
  const content = attributes ? contentOf(Object.keys(attributes).length, examples) : picturesOf(examples);
  const what = removed
    ? 'removed'
    : `${content}${current ? ' (now)' : ''}${changeFrom(former, attributes ?? {})}`;
  return `${String(number).padStart(3)}  ${timeOf(at)}  ${(by ?? '-').padEnd(8)}  ${what}`;
}

function changeFrom(
  former: VersionResponse | undefined,
  attributes: Readonly<Record<string, number>>,
): string {
  if (!former?.attributes) return '';
  const before = former.attributes;
  const shown = (values: Readonly<Record<string, number>>, key: string): string =>
    key in values ? String(values[key]) : 'not known';
  const changed = Object.keys({ ...before, ...attributes }).filter((key) => before[key] !== attributes[key]);
  if (changed.length === 0) return '';
  const list = changed
    .slice(0, maxShown)
    .map((key) => `${key} ${shown(before, key)} -> ${shown(attributes, key)}`);
  const more = changed.length > maxShown ? ` and ${changed.length - maxShown} more` : '';
  return `; ${list.join(', ')}${more}`;
}

const contentOf = (attributes: number, examples: number): string =>
  `${attributes} ${attributes === 1 ? 'attribute' : 'attributes'}, ${picturesOf(examples)}`;

const picturesOf = (examples: number): string => `${examples} ${examples === 1 ? 'picture' : 'pictures'}`;

/** To the second, in UTC as the server says it. */
const timeOf = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')}Z`;
