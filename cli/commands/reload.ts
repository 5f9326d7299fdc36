import type { ReloadPreviewResponse } from '../../client/index.js';
import { atServer, withServer, type ServerOptions } from '../at-server.js';
import type { AddCommand } from '../program.js';

/** So many classes that do not fit are named; --json names all. */
const maxShown = 20;

export const addReloadCommand: AddCommand = (program, run) => {
  withServer(program.command('reload'))
    .description(
      'Let a running server read its bundle again, without a failed request; or say beforehand which added classes the new one could not use.',
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
            ? `The server answers with bundle ${shortened(version)} now.`
            : `The bundle is the one that serves already: ${shortened(version)}.`,
          answer,
        );
      });
    });
};

function previewText({ version, changed, classes }: ReloadPreviewResponse): string {
  const { usable, unusable, unusableExamples } = classes;
  const lines = [
    changed
      ? `A reload would load bundle ${shortened(version)}.`
      : `The bundle is the one that serves already: ${shortened(version)}.`,
    `${usable} of ${usable + unusable.length} added classes could be used.`,
    ...unusable.slice(0, maxShown).map(({ name, reason }) => `  ${name}: ${reason}`),
    ...(unusable.length > maxShown ? [`  and ${unusable.length - maxShown} more`] : []),
    ...(unusableExamples > 0
      ? [`${unusableExamples} example pictures could not be used: another network made their features.`]
      : []),
  ];
  return lines.join('\n');
}

const shortened = (version: string): string => version.slice(0, 12);
