/** From a backup to the classes of a server, in as many requests as it takes. */
import { classParts, type ClassBackup, type ImportedResponse, type UnseenClient } from '../client/index.js';
import { Failure } from '../core/failures.js';
import type { CommandContext } from './context.js';

export interface ImportChoices {
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly leaveOut?: boolean;
}

type Groups = NonNullable<ClassBackup['groups']>;
type Part = Pick<ClassBackup, 'classes' | 'groups'>;

/** Of the features of examples in one request. */
const maxFeatureBytes = 3_000_000;

/** A dry run of everything comes first, so that nothing is stored when some part does not fit. */
export async function importAll(
  client: UnseenClient,
  { format, version, classes, groups = [] }: ClassBackup,
  { dryRun = false, replace = false, leaveOut = false }: ImportChoices,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  const send = (part: Part, isDryRun: boolean, leave = leaveOut): Promise<ImportedResponse> =>
    client.importClasses(
      { format, version, ...part },
      { dryRun: isDryRun, replace, leaveOut: leave, signal },
    );
  const split = classes.map(inParts);
  // What a later request adds to a class must not be in the same one as the class.
  const rest = split.flatMap(([, ...later]) => later.map((one) => [one]));
  const ofClasses = [...classParts(split.map(([first]) => first)), ...rest];
  const parts: Part[] = ofClasses.slice(0, -1).map((part) => ({ classes: part }));
  const isWhole = parts.length === 0;
  // Groups behind all classes.
  if (isWhole) parts.push({ classes: ofClasses[0] ?? [], groups });
  else parts.push({ classes: ofClasses.at(-1)! });
  const plans: ImportedResponse[] = [];
  for (const part of parts) plans.push(await send(part, true));
  if (!isWhole) {
    parts.push({ classes: [], groups });
    const absent = new Set(plans.flatMap(({ leftOut }) => leftOut.map(({ name }) => name)));
    const brought = new Set(classes.map(({ name }) => name).filter((name) => !absent.has(name)));
    // What is to be left out is found here: the server does not know what the other parts bring.
    plans.push(
      await planOfGroups(groups, brought, leaveOut, (some) =>
        send({ classes: [], groups: some }, true, false),
      ),
    );
  }
  const planned = merged(plans);
  if (!dryRun && planned.problems.length > 0)
    throw new Failure(
      'attributes-invalid',
      ['Nothing was imported, because some of it does not fit:', ...misfitLines(planned.problems)].join('\n'),
    );
  const answers: ImportedResponse[] = [];
  if (!dryRun) for (const part of parts) answers.push(await send(part, false));
  const done = dryRun ? planned : merged(answers);
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
    ...(done.problems.length > 0 ? ['Does not fit:', ...misfitLines(done.problems)] : []),
    ...(done.leftOut.length > 0
      ? [dryRun ? 'Would be left out:' : 'Left out:', ...misfitLines(done.leftOut)]
      : []),
    ...(done.warnings.length > 0 ? ['Warnings:', ...done.warnings.map((warning) => `  ${warning}`)] : []),
  ];
  context.result(lines.join('\n'), { ...done, dryRun });
}

/** A dry run of several parts stores no class that groups could name: those that the backup brings will be there. */
async function planOfGroups(
  groups: Groups,
  brought: ReadonlySet<string>,
  leaveOut: boolean,
  plan: (groups: Groups) => Promise<ImportedResponse>,
): Promise<ImportedResponse> {
  const answer = await plan(groups);
  const members = answer.problems.map(({ pointer }) => memberAt(groups, pointer));
  const problems = answer.problems.filter((_, i) => !brought.has(members[i] ?? ''));
  const gone = new Set(members.filter((member) => member !== undefined && !brought.has(member)));
  if (!leaveOut || gone.size === 0) return { ...answer, problems };
  const kept = groups.map((group) => ({
    ...group,
    classes: group.classes.filter((member) => !gone.has(member)),
  }));
  const leftOut = problems.flatMap(({ name, pointer }) => {
    const member = memberAt(groups, pointer);
    return member === undefined ? [] : [{ name, pointer, detail: `there is no class "${member}"` }];
  });
  return { ...(await planOfGroups(kept, brought, false, plan)), leftOut };
}

/** The member of a group that a problem is about, if it is about one. */
function memberAt(groups: Groups, pointer: string): string | undefined {
  const place = /^\/groups\/(\d+)\/classes\/(\d+)$/.exec(pointer)?.slice(1).map(Number);
  return place && groups[place[0]].classes[place[1]];
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
    leftOut: onceEach(answers.flatMap(({ leftOut }) => leftOut)),
    warnings: answers.flatMap(({ warnings }) => warnings),
    registryRevision: answers.at(-1)?.registryRevision ?? 0,
  };
}

/** A class whose examples went in several requests is named by each of them. */
function onceEach(misfits: ImportedResponse['leftOut']): ImportedResponse['leftOut'] {
  return [...new Map(misfits.map((one) => [JSON.stringify([one.name, one.detail]), one])).values()];
}

function misfitLines(misfits: ImportedResponse['problems']): string[] {
  const shown = misfits.slice(0, 20).map(({ name, detail }) => `  ${name}: ${inOptions(detail)}`);
  return misfits.length > 20 ? [...shown, `  and ${misfits.length - 20} more`] : shown;
}

/** The server names parameters; a command has options. */
function inOptions(detail: string): string {
  return detail.replace('replace=true', '--replace').replace('leaveOut=true', '--leave-out');
}
