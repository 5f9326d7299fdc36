import { Option, type Command } from 'commander';
import {
  classParts,
  UnseenClient,
  UnseenProblem,
  type ClassListResponse,
  type CreatedManyResponse,
} from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { percent } from '../../core/percent.js';
import { keyOfLocalServer } from '../../server/local-servers.js';
import { readAttributes } from '../../trainer/extraction/attributes.js';
import type { CommandContext } from '../context.js';
import type { AddCommand, Runner } from '../program.js';
import { normalisedName } from '../../core/class-name.js';
import { serverOption, startServerHint } from '../server-address.js';
import { addBackupCommands } from './classes-backup.js';
import { addExampleCommands } from './classes-examples.js';

interface ServerOptions {
  readonly url: string;
  readonly key?: string;
  readonly json?: boolean;
}

type Work = (client: UnseenClient, context: CommandContext) => Promise<void>;

/** Classes of a running server: added from a table of attributes, listed, removed. */
export const addClassesCommand: AddCommand = (program, run) => {
  const command = program
    .command('classes')
    .description('Add classes to a running server from nothing but their attributes; list and remove them.');
  withServer(command.command('add'))
    .description(
      'Add every class of a CSV (class,<attribute names>, one line for each class): all or none, a thousand at a time.',
    )
    .argument('<csv>', 'the table')
    .option('--dry-run', 'change nothing; show which classes the new ones would be confused with')
    .addHelpText('after', '\nExample:\n  unseen classes add new-birds.csv --url http://127.0.0.1:8080')
    .action(async (csv: string, options: ServerOptions & { dryRun?: boolean }) => {
      await atServer(run, options, async (client, context) => {
        const classes = await readClasses(csv);
        await (options.dryRun ? preview(client, classes, context) : add(client, classes, context));
      });
    });
  withServer(command.command('list'))
    .description('List the classes that compete.')
    .addOption(
      new Option('--kind <kind>', 'list only classes of this kind').choices(['seen', 'unseen', 'runtime']),
    )
    .action(async (options: ServerOptions & { kind?: 'seen' | 'unseen' | 'runtime' }) => {
      await atServer(run, options, (client, context) => list(client, options.kind, context));
    });
  withServer(command.command('remove'))
    .description('Remove classes that were added at runtime.')
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
            `No server of yours that made a key for itself runs at ${url} on this machine. Where UNSEEN_ADMIN_KEYS is set, one of those is the key.`,
          );
        context.result(key, { key });
      });
    });
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

function withServer(command: Command): Command {
  const keyHelp = 'a key; left out, the one that a server on this machine made for itself';
  return command
    .addOption(serverOption())
    .addOption(new Option('--key <key>', keyHelp).env('UNSEEN_KEY'))
    .option('--json', 'print one JSON document');
}

async function atServer(run: Runner, { url, key: given, json }: ServerOptions, work: Work): Promise<void> {
  await run(json === true, async (context) => {
    const key = given ?? (await keyOfLocalServer(url));
    try {
      // Adding thousands of classes takes minutes.
      await work(new UnseenClient({ url, key, timeoutSeconds: 600 }), context);
    } catch (error) {
      if (!(error instanceof UnseenProblem)) throw error;
      const hint = error.code === 'server-unreachable' ? ` ${startServerHint(url)}` : '';
      throw new Failure(error.code, `${error.detail}${hint}`, { cause: error });
    }
  });
}

async function readClasses(csv: string) {
  const { classNames, attributeNames, values, leftOut } = await readAttributes(csv);
  if (leftOut.length > 0)
    throw new Failure(
      'dataset-invalid',
      [
        'No class was added, because some lines cannot be used:',
        ...leftOut.map(({ file, reason }) => `  ${file}: ${reason}`),
      ].join('\n'),
    );
  return classNames.map((name, i) => ({
    name: normalisedName(name),
    attributes: Object.fromEntries(attributeNames.map((attribute, k) => [attribute, values[i][k]])),
  }));
}

type Classes = Awaited<ReturnType<typeof readClasses>>;

async function add(client: UnseenClient, classes: Classes, context: CommandContext): Promise<void> {
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
        throw error;
      }),
    );
    done += part.length;
    progress?.update(done);
  }
  progress?.stop();
  const answered = answers.flatMap((answer) => answer.classes);
  const registryRevision = answers.at(-1)!.registryRevision;
  const created = answered.filter(({ outcome }) => outcome === 'created').length;
  const warnings = answered.flatMap(({ name, warnings: all = [] }) =>
    all.map((warning) => `  ${name}: ${warning}`),
  );
  context.result(
    [
      `${created} added, ${classes.length - created} were there already (registry revision ${registryRevision}).`,
      ...(warnings.length > 0 ? ['Warnings:', ...warnings] : []),
    ].join('\n'),
    { ...answers.at(-1)!, classes: answered },
  );
}

async function preview(client: UnseenClient, classes: Classes, context: CommandContext): Promise<void> {
  const answer = await client.previewClasses(classes, { signal: context.signal });
  const lines = answer.previews.flatMap(
    ({ name, plausible, problems, expected, recognised, confusedWith: [first], warnings = [] }) => {
      const rival = `${first.name} ${percent(first.probability).trim()} %`;
      const told =
        expected === null ? '' : `${percent(expected).trim()} % of its pictures expected to be right; `;
      return [
        `  ${name.padEnd(32)} ${plausible ? told : 'NOT PLAUSIBLE. '}on synthetic features itself ${percent(recognised).trim()} %, then ${rival}`,
        ...[...problems, ...warnings].map((line) => `    ${line}`),
      ];
    },
  );
  context.result(['What the classes would be, before anything is stored:', ...lines].join('\n'), answer);
}

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
  const lines = classes.map(({ name, seen, runtime, unusable }) => {
    const what = runtime ? 'runtime' : seen ? 'seen' : 'unseen';
    return `${what.padEnd(8)} ${name}${unusable === undefined ? '' : ` (unusable: ${unusable})`}`;
  });
  context.result(lines.join('\n'), { classes });
}
