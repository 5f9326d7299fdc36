/** `unseen classes add TABLE [--examples DIR]`: classes of a running server from a table of attributes, and pictures of them. */
import { join } from 'node:path';
import {
  classParts,
  UnseenProblem,
  type CreatedManyResponse,
  type DryRunResponse,
  type UnseenClient,
} from '../../client/index.js';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { percent, percentColumn } from '../../core/percent.js';
import { filesUnder, listFolders } from '../../trainer/extraction/list-pictures.js';
import { readClassTable, type TableClass } from '../class-table.js';
import type { CommandContext } from '../context.js';
import { addPictures, inRequests, readPictures } from '../send-pictures.js';

export interface AddOptions {
  readonly dryRun?: boolean;
  readonly examples?: string;
}

/** Files of each class, by its name. */
type Pictures = ReadonlyMap<string, readonly string[]>;

const maxPreviews = 50; // of a server, in one request

export async function addClasses(
  client: UnseenClient,
  csv: string,
  { dryRun = false, examples }: AddOptions,
  context: CommandContext,
): Promise<void> {
  const { classes, examples: folders } = await readClassTable(csv);
  const pictures = new Map<string, readonly string[]>(
    examples === undefined ? [] : await picturesIn(examples, classes, csv, context),
  );
  for (const [name, folder] of folders)
    pictures.set(name, [...(pictures.get(name) ?? []), ...(await picturesOf(name, folder))]);
  await (dryRun ? preview(client, classes, pictures, context) : add(client, classes, pictures, context));
}

/** Of a folder that the table itself names. */
async function picturesOf(name: string, folder: string): Promise<string[]> {
  const files = await filesUnder(folder).catch((error: unknown) => {
    throw new Failure(
      'dataset-invalid',
      `The pictures of "${name}" cannot be read: ${(error as Error).message} Correct the column "examples", or leave the cell empty.`,
      { cause: error },
    );
  });
  return files.map(({ file }) => join(folder, file));
}

/** A folder for each class, named as the table names it. */
async function picturesIn(
  folder: string,
  classes: readonly TableClass[],
  csv: string,
  context: CommandContext,
): Promise<Pictures> {
  const { pictures, leftOut } = await listFolders(folder);
  for (const { file, reason } of leftOut) context.note(`${file} was left out: ${reason}`);
  const files = new Map<string, string[]>();
  for (const { file, className } of pictures) {
    const name = normalisedName(className);
    files.set(name, [...(files.get(name) ?? []), join(folder, file)]);
  }
  const known = new Set(classes.map(({ name }) => name));
  const strange = [...files.keys()].filter((name) => !known.has(name));
  if (strange.length > 0)
    throw new Failure(
      'dataset-invalid',
      `${folder} has folders of classes that ${csv} does not list: ${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ` and ${strange.length - 5} more` : ''}. Add a line for each (its cells may be empty), or remove the folder.`,
    );
  return files;
}

async function add(
  client: UnseenClient,
  classes: readonly TableClass[],
  pictures: Pictures,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  // A class of which no attribute is known exists only with a picture: it comes with its first ones.
  const isDescribed = ({ attributes, like, name }: TableClass): boolean =>
    like !== undefined || Object.keys(attributes).length > 0 || !pictures.has(name);
  const described = classes.filter(isDescribed);
  const answered = await addDescribed(client, described, context);
  const total = [...pictures.values()].reduce((sum, files) => sum + files.length, 0);
  const progress = total > 0 ? context.progress('Adding pictures', total) : undefined;
  let [sent, added, registryRevision] = [0, 0, answered.registryRevision];
  const onSent = (count: number): void => {
    sent += count;
    progress?.update(sent);
  };
  try {
    for (const one of classes) {
      const files = pictures.get(one.name) ?? [];
      if (files.length === 0) continue;
      let rest = files;
      if (!isDescribed(one)) {
        const [first] = await inRequests(files);
        const before = await countOf(client, one.name, signal);
        const created = await client.createClass(one, { pictures: await readPictures(first), signal });
        answered.classes.push({ ...created, outcome: before === null ? 'created' : 'unchanged' });
        added += created.examples - (before ?? 0);
        ({ registryRevision } = created);
        rest = files.slice(first.length);
        onSent(first.length);
      }
      if (rest.length === 0) continue;
      const answer = await addPictures(client, one.name, rest, signal, onSent);
      added += answer.added;
      ({ registryRevision } = answer);
    }
  } catch (error) {
    progress?.stop();
    context.note(
      `${answered.classes.length} of ${classes.length} classes and ${sent} of ${total} pictures were sent. Run the command again for the rest.`,
    );
    throw error;
  }
  progress?.stop();
  const created = answered.classes.filter(({ outcome }) => outcome === 'created').length;
  const warnings = answered.classes.flatMap(({ name, warnings: all = [] }) =>
    all.map((warning) => `  ${name}: ${warning}`),
  );
  context.result(
    [
      `${created} added, ${classes.length - created} were there already (registry revision ${registryRevision}).`,
      ...(total > 0 ? [`${added} pictures added, ${total - added} were there already.`] : []),
      ...filledLines(answered.classes),
      ...(warnings.length > 0 ? ['Warnings:', ...warnings] : []),
    ].join('\n'),
    { ...answered, registryRevision, ...(total > 0 && { pictures: { added, sent: total } }) },
  );
}

/** How many examples a class has; null when there is no such class. */
async function countOf(
  client: UnseenClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  try {
    return (await client.class(name, { signal })).examples;
  } catch (error) {
    if ((error as { code?: string }).code === 'not-found') return null;
    throw error;
  }
}

async function addDescribed(
  client: UnseenClient,
  classes: readonly TableClass[],
  context: CommandContext,
): Promise<CreatedManyResponse> {
  const parts = classParts(classes);
  const progress = parts.length > 1 ? context.progress('Adding classes', classes.length) : undefined;
  const answers: CreatedManyResponse[] = [];
  let done = 0;
  for (const part of parts) {
    answers.push(
      await client.createClasses(part, { signal: context.signal }).catch((error: unknown) => {
        progress?.stop();
        if (done > 0)
          context.note(
            `${done} of ${classes.length} classes were added. Run the command again for the rest.`,
          );
        throw namingClasses(error, part);
      }),
    );
    done += part.length;
    progress?.update(done);
  }
  progress?.stop();
  return {
    classes: answers.flatMap((answer) => answer.classes),
    registryRevision: answers.at(-1)?.registryRevision ?? 0,
  };
}

async function preview(
  client: UnseenClient,
  classes: readonly TableClass[],
  pictures: Pictures,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  if (classes.length > maxPreviews)
    throw new Failure(
      'usage',
      `A dry run takes at most ${maxPreviews} classes at a time, and the table has ${classes.length}.`,
    );
  const plain = classes.filter(({ name }) => !pictures.has(name));
  const answers: DryRunResponse[] = [];
  if (plain.length > 0)
    answers.push(
      await client.previewClasses(plain, { signal }).catch((error: unknown) => {
        throw namingClasses(error, plain);
      }),
    );
  for (const one of classes) {
    const files = pictures.get(one.name);
    if (!files) continue;
    const [first] = await inRequests(files);
    answers.push(await client.previewClass(one, { pictures: await readPictures(first), signal }));
  }
  const previews = answers.flatMap((answer) => answer.previews);
  const lines = previews.flatMap(shownPreview);
  context.result(
    ['Expected on synthetic features of each class:', ...lines, ...filledLines(previews, true)].join('\n'),
    { previews, registryRevision: answers.at(-1)!.registryRevision },
  );
}

const maxNamed = 5;

/** A refusal names classes by their place in the request, which is no line of the table: here by their names. */
function namingClasses(error: unknown, classes: readonly TableClass[]): unknown {
  if (!(error instanceof UnseenProblem)) return error;
  const named = error.errors.map(({ pointer, detail }) => {
    const found = /^\/classes\/(\d+)\/?(.*)$/.exec(pointer);
    if (!found) return null;
    const { name } = classes[Number(found[1])];
    const field = found[2]
      .replace(/^attributes\/?/, '')
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    return `"${name}"${field === '' ? '' : `, ${field}`}: ${detail}`;
  });
  if (named.length === 0 || named.includes(null)) return error;
  const more = named.length > maxNamed ? ` (and ${named.length - maxNamed} more)` : '';
  const listed = `${named.slice(0, maxNamed).join('; ')}${more}`;
  const detail = `The table does not fit the model: ${listed}${listed.endsWith('?') ? '' : '.'}`;
  const { status, code, errors } = error;
  return new UnseenProblem({ status, code, detail, errors }, { cause: error });
}

/** Whether there could be such a class, how well it would be recognised, and what its pictures would be taken for. */
function shownPreview(preview: DryRunResponse['previews'][number]): string[] {
  const { name, plausible, problems, expected, recognised, confusedWith } = preview;
  const { pictures = [], warnings = [] } = preview;
  const [first] = confusedWith;
  const rival = `${first.name} ${percent(first.probability)} %`;
  const onRealPictures = expected === null ? '' : `; of real pictures about ${percent(expected)} %`;
  return [
    `  ${name.padEnd(32)} itself ${percentColumn(recognised)} %, then ${rival}${onRealPictures}${plausible ? '' : ' (not plausible)'}`,
    ...problems.map((problem) => `    ${problem}`),
    ...warnings.map((warning) => `    Warning: ${warning}`),
    ...pictures.map((one) => `    ${one.name} would become ${one.class}, ${percent(one.probability)} %`),
  ];
}

const listedValues = 5;

interface WithFilled {
  readonly name: string;
  readonly filled?: Readonly<Record<string, number>> | undefined;
  readonly certainty?: Readonly<Record<string, number>> | undefined;
}

/** What was filled in: how much of each class, and with `values` those it is most confident of. */
function filledLines(classes: readonly WithFilled[], values = false): string[] {
  const partly = classes.filter(({ filled }) => filled !== undefined);
  if (partly.length === 0) return [];
  if (!values) return [`Filled in: attributes of ${partly.length} classes that the table leaves open.`];
  const lines = partly.map(({ name, filled = {}, certainty = {} }) => {
    const mostConfident = Object.keys(filled).sort((a, b) => (certainty[b] ?? 0) - (certainty[a] ?? 0));
    const shown = mostConfident
      .slice(0, listedValues)
      .map((one) => `${one} ${filled[one].toFixed(2)} (${percent(certainty[one] ?? 0)} % sure)`);
    const more =
      mostConfident.length > listedValues ? `, and ${mostConfident.length - listedValues} more` : '';
    return `  ${name}: ${shown.join(', ')}${more}`;
  });
  return ['Filled in where the table says nothing:', ...lines];
}
