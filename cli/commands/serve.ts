import { setFlagsFromString } from 'node:v8';
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
import { playgroundLink } from '../playground-link.js';
import type { AddCommand } from '../program.js';
import { untilAskedToStop } from '../stop-signals.js';

/** Serves a bundle until SIGTERM or Ctrl-C; SIGHUP loads bundle and TLS certificate again. */
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
Every flag is also an environment variable: --body-megabytes is UNSEEN_BODY_MEGABYTES. Keys are read from the environment only:
${secretSettings.map((setting) => `  ${variableOf(setting).padEnd(20)} ${describeSetting(setting)}`).join('\n')}

Examples:
  unseen serve
  unseen serve --bundle bundle --port 9000
  curl --data-binary @flag.jpg -H 'Content-Type: image/jpeg' localhost:8080/classify`,
    )
    .action(async (flags: Partial<Record<ServerSetting, string>>) => {
      await run(false, async (context) => {
        // Bodies are garbage that V8 counts as part of a small heap: by default it collects after every ten megabytes of them.
        setFlagsFromString('--heap-growing-percent=100');
        const asked = untilAskedToStop(); // before starting, so that a signal during the start counts too
        const settings = readServerConfiguration(flags, process.env);
        const processes = new WorkerProcesses().prepare(settings.workers); // they load while the next line imports the server
        const { startServer } = await import('../../server/run.js');
        const server = await startServer(settings, { watcher: context, processes });
        context.note(`Serving ${settings.bundle} on ${server.url} (API documentation: ${server.url}/docs).`);
        // A key that is kept in a file was shown when it was made; after that on a terminal only, which nobody collects.
        if (server.ownKey && (process.stderr.isTTY || server.ownKey.file === null))
          context.note(`To change classes in a browser: ${playgroundLink(server.url, server.ownKey.key)}`);
        const hangUp = (): void => {
          server.reload().catch(() => undefined); // logged with the reason; the previous bundle is still served
        };
        process.on('SIGHUP', hangUp);
        const reason = await asked;
        // Ctrl-C comes from somebody at the terminal: there is no load balancer to wait for.
        await server.stop(reason === 'SIGINT' ? 0 : settings.graceSeconds);
        process.off('SIGHUP', hangUp);
        // Everything is answered and closed. Only a log line whose reader has stalled could still keep the process alive.
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
