/** `unseen classes export` and `import`: a backup of the classes added at runtime, for this server or another one. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  type ClassBackup,
  type ClassListResponse,
  type GroupListResponse,
  type StoredExamplesResponse,
  type UnseenClient,
} from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import type { AtServer } from '../at-server.js';
import type { CommandContext } from '../context.js';
import { importAll, type ImportChoices } from '../import-classes.js';

const format = 'unseen-classes';
/** Version 1 has no examples, and is what older servers read. */
const versions = [1, 2] as const;
/** Somebody changes classes all the time; a backup of one state needs a pause. */
const maxAttempts = 20;

export function addBackupCommands(command: (name: string) => Command, atServer: AtServer): void {
  command('export')
    .description(
      'Write all classes that were added at runtime, with their examples, to a JSON file, as a backup. Examples need an admin key.',
    )
    .argument('<file>', 'where to write them')
    .addHelpText('after', '\nExample:\n  unseen classes export classes.json')
    .action((file: string, options: object) =>
      atServer(options, async (client, context) => {
        const { classes, groups, registryRevision } = await readAll(client, context);
        const { model } = await client.attributes({ signal: context.signal });
        const examples = classes.reduce((sum, one) => sum + (one.examples?.length ?? 0), 0);
        const version = examples > 0 ? 2 : 1;
        const exportedAt = new Date().toISOString();
        const backup = { format, version, exportedAt, model, registryRevision, classes, groups };
        // Beside it first: a backup that is cut off must not take the place of a whole one.
        await writeFile(`${file}.part`, `${JSON.stringify(backup, null, 1)}\n`);
        await rename(`${file}.part`, file);
        const withExamples = examples > 0 ? ` with ${examples} example pictures (as features)` : '';
        const and = groups.length > 0 ? ` and ${groups.length} groups` : '';
        const text = `${classes.length} classes${withExamples}${and} of registry revision ${registryRevision} are in ${file}.`;
        const counts = { classes: classes.length, groups: groups.length, examples };
        context.result(text, { file, ...counts, registryRevision });
      }),
    );
  command('import')
    .description(
      'Add the classes of a backup to a server whose model has the same attributes. Nothing is stored when any does not fit.',
    )
    .argument('<file>', 'what export wrote')
    .option('--dry-run', 'change nothing; show what would be added or replaced, and what does not fit')
    .option('--replace', 'replace classes that exist with other attributes')
    .option(
      '--leave-out',
      'leave out what does not fit the model: example pictures of classes that another model had itself, such members of groups, and the attributes of classes that the model has itself (they keep their own, and get the pictures)',
    )
    .addHelpText('after', '\nExample:\n  unseen classes import classes.json --dry-run')
    .action((file: string, options: ImportChoices) =>
      atServer(options, async (client, context) => {
        await importAll(client, await readBackup(file), options, context);
      }),
    );
}

/** All pages at one revision; starts over when a class was changed in between. */
async function readAll(client: UnseenClient, { signal }: CommandContext) {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const classes: ClassBackup['classes'] = [];
    const revisions = new Set<number>();
    let after: string | undefined;
    do {
      const page: ClassListResponse = await client.classes({
        ...{ limit: 1000, attributes: true },
        ...{ after, signal },
      });
      revisions.add(page.registryRevision);
      for (const { name, runtime, attributes = {}, examples: count } of page.classes) {
        if (!runtime && count === 0) continue;
        const described = runtime ? { name, attributes } : { name, attributes: {}, own: true as const };
        const { examples, revisions: read } = await readExamples(client, name, count, signal);
        for (const revision of read) revisions.add(revision);
        classes.push({ ...described, ...(examples.length > 0 && { examples }) });
      }
      after = page.next;
    } while (after !== undefined && revisions.size === 1);
    const groups: NonNullable<ClassBackup['groups']> = [];
    do {
      const page: GroupListResponse = await client.groups({ limit: 1000, classes: true, after, signal });
      revisions.add(page.registryRevision);
      groups.push(
        ...page.groups.map(({ name, family, classes: all = [] }) => ({ name, family, classes: all })),
      );
      after = page.next;
    } while (after !== undefined && revisions.size === 1);
    if (revisions.size === 1) return { classes, groups, registryRevision: [...revisions][0] };
  }
  throw new Failure('conflict', 'The classes kept changing during the export. Try again at a quieter time.');
}

/** Of a class that has so many. */
async function readExamples(
  client: UnseenClient,
  name: string,
  count: number,
  signal: AbortSignal | undefined,
) {
  const examples: StoredExamplesResponse['examples'] = [];
  const revisions: number[] = [];
  let after: string | undefined;
  while (examples.length < count) {
    const page = await client.storedExamples(name, { after, signal });
    examples.push(...page.examples);
    revisions.push(page.registryRevision);
    after = page.next;
    if (after === undefined) break;
  }
  return { examples, revisions };
}

async function readBackup(file: string): Promise<ClassBackup> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure('dataset-not-found', `Cannot read ${file}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  });
  let backup: Partial<ClassBackup> | null;
  try {
    backup = JSON.parse(text) as Partial<ClassBackup> | null;
  } catch (error) {
    throw new Failure('dataset-invalid', `${file} is not JSON: it was cut off or altered.`, { cause: error });
  }
  if (backup?.format !== format || !Array.isArray(backup.classes))
    throw new Failure('dataset-invalid', `${file} is not a backup written by "unseen classes export".`);
  const version = versions.find((one) => one === backup.version);
  if (version === undefined)
    throw new Failure(
      'dataset-invalid',
      `${file} has version ${String(backup.version)} of the format, and this program knows versions ${versions.join(' and ')}.`,
    );
  return { format, version, classes: backup.classes, groups: backup.groups ?? [] };
}
