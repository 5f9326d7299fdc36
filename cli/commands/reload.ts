import type { ReloadPreviewResponse } from '../../client/index.js';
import { atServer, withServer, type ServerOptions } from '../at-server.js';
import type { AddCommand } from '../program.js';

/** So many classes that do not fit are named; --json names all. */
const maxShown = 20;
const maxMissing = 5;

export const addReloadCommand: AddCommand = (program, run) => {
  withServer(program.command('reload'))
    .description(
      'Make a running server load its bundle again without failing a request, or check beforehand which added classes and groups the new one could not use.',
    )
    .option('--dry-run', 'change nothing; show what the bundle could not use')
    .addHelpText('after', '\nExamples:\n  unseen reload --dry-run\n  unseen reload')
    .action(async ({ dryRun = false, ...options }: ServerOptions & { readonly dryRun?: boolean }) => {
      await atServer(run, options, async (client, context) => {
        if (dryRun) {
          const preview = await client.previewReload({ signal: context.signal });
          context.result(previewText(preview), preview);
          return;
        }
        const answer = await client.reload({ signal: context.signal });
        const { version, changed } = answer;
        context.result(
          changed
            ? `The server now answers with bundle ${shortened(version)}.`
            : `The server already has this bundle: ${shortened(version)}.`,
          answer,
        );
      });
    });
};

function previewText({ version, changed, classes, groups, adaptation }: ReloadPreviewResponse): string {
  const { usable, unusable, unusableExamples } = classes;
  const lines = [
    changed
      ? `A reload would load bundle ${shortened(version)}.`
      : `The server already has this bundle: ${shortened(version)}.`,
    `${usable} of ${usable + unusable.length} added classes could be used.`,
    ...unusable.slice(0, maxShown).map(({ name, reason }) => `  ${name}: ${reason}`),
    ...(unusable.length > maxShown ? [`  and ${unusable.length - maxShown} more`] : []),
    ...(unusableExamples > 0
      ? [`${unusableExamples} example pictures could not be used: another network made their features.`]
      : []),
    ...groups.slice(0, maxShown).map(groupLine),
    ...(groups.length > maxShown ? [`and ${groups.length - maxShown} more groups would lack classes.`] : []),
    ...(adaptation === null
      ? []
      : [
          `Adaptation ${adaptation} would end: what was learnt from unlabelled pictures belongs to the present bundle.`,
        ]),
  ];
  return lines.join('\n');
}

function groupLine({ name, missing }: ReloadPreviewResponse['groups'][number]): string {
  const more = missing.length > maxMissing ? ` and ${missing.length - maxMissing} more` : '';
  return `The group "${name}" would lack ${missing.slice(0, maxMissing).join(', ')}${more}.`;
}

const shortened = (version: string): string => version.slice(0, 12);
