/**
 * Every setting of the server, stated once: type, default, check and help. A setting `bodyMegabytes` is the flag
 * --body-megabytes and the environment variable UNSEEN_BODY_MEGABYTES; a flag wins over the environment.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { providers } from '../core/compute/session.js';
import { projectFolder } from '../core/project-folder.js';

/** Numbers arrive as text; an empty or odd text must not become 0. */
function numeric(check: z.ZodNumber) {
  const text = z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'a number is expected')
    .transform(Number);
  return z.union([z.number(), text], 'a number is expected').pipe(check);
}
const whole = (least: number, most: number) => numeric(z.int().min(least).max(most));
const amount = (least: number, most: number) => numeric(z.number().min(least).max(most));
const list = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(',').map((part) => part.trim()))])
  .transform((parts) => parts.filter((part) => part !== ''));

export const serverConfigurationSchema = z.strictObject({
  bundle: z
    .string()
    .min(1)
    .default(() => join(projectFolder(), 'models', 'demo'))
    .describe('Folder of the model to serve. The demonstration (signal flags) when not given.'),
  backbone: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Backbone by catalogue name. Needed only for a bundle trained on ready-made features, which names none.',
    ),
  registry: z
    .string()
    .min(1)
    .default('sqlite:unseen-classes.db')
    .describe(
      'Where classes added at runtime are kept: sqlite:FILE, or postgres://… when there are several replicas.',
    ),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for all (containers).'),
  port: whole(0, 65_535).default(8080).describe('Port to listen on; 0 takes a free one.'),
  metricsPort: whole(0, 65_535)
    .optional()
    .describe(
      'A port of its own for /metrics, so that it need not be reachable from outside. Left out: the same port.',
    ),
  provider: z
    .enum(providers)
    .default('cpu')
    .describe('Where networks run. A missing device falls back to cpu, loudly.'),
  threads: whole(0, 1024)
    .default(0)
    .describe(
      'Threads of one worker. 0: all cores, shared out among workers. High: they fight for cores, and all get slower.',
    ),
  workers: whole(1, 64)
    .default(1)
    .describe(
      'Processes that each hold the networks. On a CPU one is best: more cost memory and gain nothing.',
    ),
  batchSize: whole(1, 256)
    .default(8)
    .describe(
      'Most pictures in one run. Low: a GPU idles. High: the first of a batch waits long, and memory grows.',
    ),
  queue: whole(1, 100_000)
    .default(256)
    .describe(
      'Most pictures admitted at a time; past it 429. High: memory, and callers who have given up are served.',
    ),
  queueSeconds: amount(0.05, 3600)
    .default(5)
    .describe('Longest wait, at the pace measured, that a new picture is admitted to; past it 429.'),
  deadlineSeconds: amount(0.05, 3600)
    .default(10)
    .describe('Time for one request; past it 504. Keep it above queueSeconds.'),
  bodyMegabytes: amount(0.001, 1024).default(20).describe('Largest request body; past it 413.'),
  jsonMegabytes: amount(0.001, 1024)
    .default(4)
    .describe(
      'Largest JSON body of /classes, some thousand classes; past it 413. High: parsing it holds up everybody else.',
    ),
  uploadMegabytes: amount(1, 65_536)
    .default(512)
    .describe(
      'Bodies being received at a time, together; past it 429. Bounds the memory that slow uploads can hold.',
    ),
  pixelMillions: amount(0.001, 1000)
    .default(50)
    .describe('Most pixels of a picture, in millions; past it 422.'),
  picturesPerRequest: whole(1, 256).default(16).describe('Most pictures in one multipart request.'),
  headerSeconds: amount(0.1, 600)
    .default(10)
    .describe('Time for the headers of a request to arrive; past it 408.'),
  bodySeconds: amount(0.1, 600)
    .default(15)
    .describe('Time for the body of a request to arrive; past it 408.'),
  graceSeconds: amount(0, 600)
    .default(5)
    .describe('After SIGTERM: how long to go on serving, no longer ready, until balancers have noticed.'),
  drainSeconds: amount(0, 3600)
    .default(30)
    .describe('After the grace time: how long requests under way may take.'),
  corsOrigins: list
    .default([])
    .describe('Origins whose pages may call this server, separated by commas; * for all.'),
  requestsPerMinute: whole(0, 10_000_000)
    .default(0)
    .describe('Per caller address; past it 429. 0: no limit.'),
  trustProxy: whole(0, 32)
    .default(0)
    .describe(
      'Proxies in front: how many X-Forwarded-For entries to believe. Too high: callers can forge addresses.',
    ),
  adminKeys: list
    .default([])
    .describe('Keys that may change classes and reload; none: loopback only. Separated by commas.'),
  apiKeys: list.default([]).describe('Keys that may classify and read; none: everyone. Admin keys may, too.'),
  attributesOutOfRange: z
    .enum(['warn', 'refuse'])
    .default('warn')
    .describe('What to do with attribute values outside the range that training saw.'),
  consolidateAfter: whole(0, 1_000_000)
    .default(100)
    .describe(
      'Classes added until all rows, those of the model too, are fitted anew in the background, and taken if that measures better. 0: never.',
    ),
  tracesEndpoint: z
    .url({ protocol: /^https?$/, error: 'an http or https address is expected' })
    .optional()
    .describe(
      'Where traces go, as OTLP over HTTP: http://collector:4318 (or with its path, if that is not /v1/traces). Left out: none are made.',
    ),
  tracesShare: amount(0, 1)
    .default(1)
    .describe(
      'Share of requests that are traced, where the caller has not decided (traceparent). High: the collector drowns.',
    ),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('How much to log.'),
});

export type ServerConfiguration = z.infer<typeof serverConfigurationSchema>;
export type ServerSetting = keyof ServerConfiguration;

/** Whose values are never printed, and which have no flag: a command line is readable by other users. */
export const secretSettings: readonly ServerSetting[] = ['adminKeys', 'apiKeys'];

export const serverSettings = Object.keys(serverConfigurationSchema.shape) as ServerSetting[];

export function describeSetting(setting: ServerSetting): string {
  return serverConfigurationSchema.shape[setting].description ?? '';
}

export function flagOf(setting: ServerSetting): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(setting: ServerSetting): string {
  return `UNSEEN_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
