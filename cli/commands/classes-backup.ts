/** `unseen classes export` and `import`: a backup of the classes added at runtime, for this server or another one. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  classParts,
  type ClassBackup,
  type ClassListResponse,
  type GroupListResponse,
  type ImportedResponse,
  type StoredExamplesResponse,
  type UnseenClient,
} from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import type { CommandContext } from '../context.js';

type Work = (client: UnseenClient, context: CommandContext) => Promise<void>;
type AtServer = (options: object, work: Work) => Promise<void>;

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly replace?: boolean;
}

const format = 'unseen-classes';
/** Version 1 has no examples, and is what older servers read. */
const versions = [1, 2] as const;
/** Of the features of examples in one request. */
const maxFeatureBytes = 3_000_000;
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
    .addHelpText('after', '\nExample:\n  unseen classes import classes.json --dry-run')
    .action((file: string, options: ImportOptions) =>
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
  throw new Failure(
    'conflict',
    'Classes are being changed all the time. Export them again when it is quieter.',
  );
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
    throw new Failure('dataset-invalid', `${file} is no JSON: it was cut off or altered.`, { cause: error });
  }
  if (backup?.format !== format || !Array.isArray(backup.classes))
    throw new Failure('dataset-invalid', `${file} is no backup that "unseen classes export" wrote.`);
  const version = versions.find((one) => one === backup.version);
  if (version === undefined)
    throw new Failure(
      'dataset-invalid',
      `${file} has version ${String(backup.version)} of the format, and this program knows versions ${versions.join(' and ')}.`,
    );
  return { format, version, classes: backup.classes, groups: backup.groups ?? [] };
}

/** A dry run of everything comes first, so that nothing is stored when some part does not fit. */
async function importAll(
  client: UnseenClient,
  { version, classes, groups = [] }: ClassBackup,
  { dryRun = false, replace = false }: ImportOptions,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  const split = classes.map(inParts);
  // What a later request adds to a class must not be in the same one as the class.
  const rest = split.flatMap(([, ...later]) => later.map((one) => [one]));
  const ofClasses = [...classParts(split.map(([first]) => first)), ...rest];
  const isWhole = ofClasses.length < 2;
  // Groups behind all classes.
  const parts = isWhole
    ? [{ classes: ofClasses[0] ?? [], groups }]
    : [...ofClasses.map((part) => ({ classes: part })), { classes: [], groups }];
  const send = async (isDryRun: boolean): Promise<ImportedResponse[]> => {
    const answers: ImportedResponse[] = [];
    for (const part of parts) {
      const options = { dryRun: isDryRun, replace, signal };
      const answer = await client.importClasses({ format, version, ...part }, options);
      answers.push(isDryRun && !isWhole ? withoutBrought(answer, { classes, groups }) : answer);
    }
    return answers;
  };
  const planned = merged(await send(true));
  if (!dryRun && planned.problems.length > 0)
    throw new Failure(
      'attributes-invalid',
      ['Nothing was imported, because some of it does not fit:', ...problemLines(planned)].join('\n'),
    );
  const done = dryRun ? planned : merged(await send(false));
  const { created, replaced, unchanged } = done;
  const { groups: ofGroups } = done;
  const { examples } = done;
  const pictures = examples > 0 ? `; ${examples} example pictures added` : '';
  const counts = `${created.length} added, ${replaced.length} replaced, ${unchanged.length} were there already${pictures}`;
  const lines = [
    dryRun ? `Would be: ${counts}.` : `${counts}.`,
    ...(groups.length > 0
      ? [
          `Groups: ${ofGroups.created.length} added, ${ofGroups.replaced.length} replaced, ${ofGroups.unchanged.length} were there already.`,
        ]
      : []),
    ...(done.problems.length > 0 ? ['Does not fit:', ...problemLines(done)] : []),
    ...(done.warnings.length > 0 ? ['Warnings:', ...done.warnings.map((warning) => `  ${warning}`)] : []),
  ];
  context.result(lines.join('\n'), { ...done, dryRun });
}

/** A dry run of several parts stores no class that groups could name: those that the backup brings will be there. */
function withoutBrought(
  answer: ImportedResponse,
  {
    classes,
    groups,
  }: { readonly classes: ClassBackup['classes']; readonly groups: NonNullable<ClassBackup['groups']> },
): ImportedResponse {
  const brought = new Set(classes.map(({ name }) => name));
  const problems = answer.problems.filter(({ pointer }) => {
    const place = /^\/groups\/(\d+)\/classes\/(\d+)$/.exec(pointer)?.slice(1).map(Number);
    return !place || !brought.has(groups[place[0]].classes[place[1]]);
  });
  return { ...answer, problems };
}

/** A class with many examples goes in several requests, of which the later ones add the rest. */
function inParts(one: ClassBackup['classes'][number]): ClassBackup['classes'] {
  const { examples = [], ...described } = one;
  const perPart = Math.max(1, Math.floor(maxFeatureBytes / (examples[0]?.features.length || 1)));
  if (examples.length <= perPart) return [one];
  return Array.from({ length: Math.ceil(examples.length / perPart) }, (_, i) => ({
    ...described,
    examples: examples.slice(i * perPart, (i + 1) * perPart),
  }));
}

function merged(answers: readonly ImportedResponse[]) {
  const [created, replaced] = [new Set<string>(), new Set<string>()];
  for (const answer of answers) {
    for (const name of answer.created) created.add(name);
    for (const name of answer.replaced) replaced.add(name);
  }
  const isNew = (name: string): boolean => created.has(name) || replaced.has(name);
  const unchanged = new Set(answers.flatMap((answer) => answer.unchanged).filter((name) => !isNew(name)));
  return {
    created: [...created],
    replaced: [...replaced],
    unchanged: [...unchanged],
    examples: answers.reduce((sum, answer) => sum + answer.examples, 0),
    unusableExamples: answers.reduce((sum, answer) => sum + answer.unusableExamples, 0),
    groups: {
      created: answers.flatMap(({ groups }) => groups.created),
      replaced: answers.flatMap(({ groups }) => groups.replaced),
      unchanged: answers.flatMap(({ groups }) => groups.unchanged),
    },
    problems: answers.flatMap(({ problems }) => problems),
    warnings: answers.flatMap(({ warnings }) => warnings),
    registryRevision: answers.at(-1)?.registryRevision ?? 0,
  };
}

function problemLines({ problems }: Pick<ImportedResponse, 'problems'>): string[] {
  const shown = problems.slice(0, 20).map(({ name, detail }) => `  ${name}: ${detail}`);
  return problems.length > 20 ? [...shown, `  and ${problems.length - 20} more`] : shown;
}
