import {
  describeSetting,
  flagOf,
  secretSettings,
  serverConfigurationSchema,
  serverSettings,
  variableOf,
  type ServerSetting,
} from '../../server/configuration.js';
import { WorkerProcesses } from '../../server/inference/worker-processes.js';
import { readServerConfiguration } from '../../server/read-configuration.js';
import type { AddCommand } from '../program.js';
import { untilAskedToStop } from '../stop-signals.js';

/** Serves a bundle until SIGTERM or Ctrl-C; SIGHUP loads the bundle anew. */
export const addServeCommand: AddCommand = (program, run) => {
  const command = program
    .command('serve')
    .description(
      'Serve a model over HTTP: POST /classify a picture; the demonstration when no bundle is named.',
    );
  for (const setting of serverSettings)
    if (!secretSettings.includes(setting))
      command.option(`${flagOf(setting)} <value>`, `${describeSetting(setting)}${shownDefault(setting)}`);
  command
    .addHelpText(
      'after',
      `
Every flag is also an environment variable: --body-megabytes is UNSEEN_BODY_MEGABYTES. Keys are given by the environment only:
${secretSettings.map((setting) => `  ${variableOf(setting).padEnd(20)} ${describeSetting(setting)}`).join('\n')}

Examples:
  unseen serve
  unseen serve --bundle bundle --port 9000
  curl --data-binary @flag.jpg -H 'Content-Type: image/jpeg' localhost:8080/classify`,
    )
    .action(async (flags: Partial<Record<ServerSetting, string>>) => {
      await run(false, async (context) => {
        const asked = untilAskedToStop(); // also while it starts
        const settings = readServerConfiguration(flags, process.env);
        const processes = new WorkerProcesses().prepare(settings.workers); // they load beside the next line
        const { startServer } = await import('../../server/run.js');
        const server = await startServer(settings, { watcher: context, processes });
        context.note(
          `Serving ${settings.bundle} on ${server.url} (${server.url}/docs shows what can be asked).`,
        );
        const hangUp = (): void => {
          server.reload().catch(() => undefined); // the log has the reason, and the former bundle goes on
        };
        process.on('SIGHUP', hangUp);
        const reason = await asked;
        // Who presses Ctrl-C waits in front of the screen: no balancer has to notice first.
        await server.stop(reason === 'SIGINT' ? 0 : settings.graceSeconds);
        process.off('SIGHUP', hangUp);
        // Everything is answered and closed. What may still be there is a log line that nobody takes.
        setTimeout(() => process.exit(), 1000).unref();
      });
    });
};

function shownDefault(setting: ServerSetting): string {
  const parsed = serverConfigurationSchema.parse({})[setting];
  if (parsed === undefined || setting === 'bundle' || (Array.isArray(parsed) && parsed.length === 0))
    return '';
  return ` (default: ${String(parsed)})`;
}
