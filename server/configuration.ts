/**
 * Every setting of the server, stated once: type, default, check and help. A setting `bodyMegabytes` is the flag
 * --body-megabytes and the environment variable UNSEEN_BODY_MEGABYTES; a flag wins over the environment.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { precisions } from '../core/backbone/catalogue.js';
import { providers } from '../core/compute/session.js';
import { usualUnknownAt } from '../core/head/verdict.js';
import { projectFolder } from '../core/project-folder.js';
import { parseKey, type KeySettings } from './http/key-ring.js';

/** Numbers arrive as text; an empty or odd text must not become 0. */
function numeric(check: z.ZodNumber) {
  const text = z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'a number is expected')
    .transform(Number);
  return z.union([z.number(), text], 'a number is expected').pipe(check);
}
const whole = (min: number, max: number) => numeric(z.int().min(min).max(max));
const amount = (min: number, max: number) => numeric(z.number().min(min).max(max));
const list = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(',').map((part) => part.trim()))])
  .transform((parts) => parts.filter((part) => part !== ''));

/** A list that was given must hold a key: "," is a mistake, and must not open what it was meant to close. */
function keyList(setting: keyof KeySettings) {
  return z
    .union([z.array(z.string()), z.string().regex(/[^,\s]/, 'there is no key in this list')])
    .pipe(list)
    .superRefine((entries, context) => {
      for (const [index, entry] of entries.entries())
        try {
          parseKey(entry, setting, index);
        } catch (error) {
          context.addIssue((error as Error).message);
        }
    });
}

const settingsSchema = z.strictObject({
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
  backboneVariant: z
    .enum(['trained', ...precisions, 'auto'])
    .default('trained')
    .describe(
      'Precision of the network. trained: that of the bundle, but fp32 where int8 is not worth it on this machine, and fp16 for fp32 where that is worth it on a GPU. auto: int8 where it is worth it (fp16 on a GPU), else fp32, whatever the bundle was trained with; answers then differ a little from those that were evaluated. int8, fp16, fp32: that one in any case.',
    ),
  registry: z
    .string()
    .min(1)
    .default('sqlite:unseen-classes.db')
    .describe(
      'Where classes added at runtime are kept: sqlite:FILE, or postgres://… when there are several replicas.',
    ),
  versionDays: amount(0, 36_500)
    .default(30)
    .describe(
      'How long removed classes and replaced versions of classes are kept for a restore. High: the registry grows.',
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
      'Threads of one worker. 0: all cores that the CPU limit of a container allows, shared out among workers. High: they fight for cores, and all get slower.',
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
      'Largest JSON of one request: some thousand classes, or pictures of three quarters of it in base64 for /v2; past it 413. High: parsing it holds up everybody else.',
    ),
  uploadMegabytes: amount(1, 65_536)
    .default(512)
    .describe(
      'Bodies that have arrived and are not yet answered, together; past it 429. Bounds the memory that uploads can hold.',
    ),
  callerShare: amount(0.01, 1)
    .default(0.75)
    .describe(
      'Share of the queue, of queueSeconds and of uploadMegabytes that one caller may take; past it 429. A caller is an address, or a key where keys are set. 1: one caller can keep all others out. Low: one that sends many pictures at a time is refused.',
    ),
  pixelMillions: amount(0.001, 1000)
    .default(50)
    .describe('Most pixels of a picture, in millions; past it 422.'),
  decoders: whole(0, 64)
    .default(0)
    .describe(
      'Processes that decode pictures, one at a time each. 0: two to four, by the number of cores. High: memory, some 50 MB each.',
    ),
  decodeMegabytes: amount(8, 65_536)
    .default(340)
    .describe(
      'Memory that decoding may take, all pictures together, by what they declare. Low: large pictures are refused or wait. High: many of them at a time can fill the memory of the machine.',
    ),
  decodeSeconds: amount(0.1, 600)
    .default(5)
    .describe(
      'Time for decoding one picture; past it the picture is refused with 422 and its decoder is replaced.',
    ),
  picturesPerRequest: whole(1, 256).default(16).describe('Most pictures in one multipart request.'),
  headerSeconds: amount(0.1, 600)
    .default(10)
    .describe('Time for the headers of a request to arrive; past it 408.'),
  bodySeconds: amount(0.1, 600)
    .default(15)
    .describe('Time for the body of a request to arrive; past it 408.'),
  bodyBytesPerSecond: whole(0, 1_000_000_000)
    .default(1000)
    .describe(
      'Pace that a body must keep, measured every 3 s; below it 408. 0: none. High: callers on bad connections are cut off.',
    ),
  graceSeconds: amount(0, 600)
    .default(5)
    .describe(
      'After SIGTERM: how long to keep serving while no longer ready, until load balancers have noticed.',
    ),
  drainSeconds: amount(0, 3600)
    .default(30)
    .describe('After the grace time: how long requests under way may take.'),
  corsOrigins: list
    .default([])
    .describe('Origins whose pages may call this server, separated by commas; * for all.'),
  requestsPerMinute: whole(0, 10_000_000)
    .default(0)
    .describe('Per key, by its name, and per caller address without a key; past it 429. 0: no limit.'),
  trustProxy: whole(0, 32)
    .default(0)
    .describe(
      'Proxies in front: how many X-Forwarded-For entries to believe. Too high: callers can forge addresses.',
    ),
  allowedHosts: list
    .default([])
    .describe(
      'Host names to answer under, separated by commas; * for all. Left out: on loopback localhost and 127.0.0.1, elsewhere all.',
    ),
  tlsCertificate: z
    .string()
    .min(1)
    .optional()
    .describe('File with the certificate, and those between it and its authority, as PEM: serves HTTPS.'),
  tlsKey: z.string().min(1).optional().describe('File with the private key of that certificate, as PEM.'),
  adminKeys: keyList('adminKeys')
    .default([])
    .describe(
      'Keys that may change classes and reload: NAME:KEY or KEY, separated by commas. None: one is made beside the registry.',
    ),
  apiKeys: keyList('apiKeys')
    .default([])
    .describe(
      'Keys that may classify and read, NAME:reading:KEY only read. None: everyone. Admin keys may, too.',
    ),
  unknownAt: amount(0, 1)
    .default(usualUnknownAt)
    .describe(
      'Novelty from which a picture is called unknown; ?unknownAt= overrides it. 0.95 calls 5 % of the pictures of known classes unknown. Low: more of them. High: pictures of other things are given to the nearest class.',
    ),
  attributesOutOfRange: z
    .enum(['warn', 'refuse'])
    .default('warn')
    .describe('What to do with attribute values outside the range that training saw.'),
  examplesPerClass: whole(0, 100_000)
    .default(200)
    .describe(
      'Most example pictures kept of one class; past it 409. High: a class with many takes long to fit. 0: none are accepted.',
    ),
  examplesPerRegistry: whole(0, 10_000_000)
    .default(20_000)
    .describe(
      'Most example pictures kept of all classes together; past it 409. High: memory, some 30 KB for each of 2,048 features, and starting time.',
    ),
  exampleMegabytes: amount(0, 1_000_000)
    .default(512)
    .describe(
      'Most memory for the features of all example pictures, some 4 KB each; past it 409. The server holds them once, its fitting process six times as much, and eight times during a change.',
    ),
  consolidateAfter: whole(0, 1_000_000)
    .default(100)
    .describe(
      'Classes added until all rows, those of the model too, are fitted again in the background, and used if that measures better. 0: never.',
    ),
  learnFromTraffic: whole(0, 1_000_000)
    .default(0)
    .describe(
      'Keeps the features, never the pictures, of so many classified pictures in the registry, some 4 KB each, to learn from them by POST /adaptations. Low: rare classes are missing. High: memory and time of an adaptation. 0: nothing is kept.',
    ),
  poolDays: amount(0.001, 36_500)
    .default(30)
    .describe(
      'How long features of unlabelled pictures are kept. Low: few are left to learn from. High: they speak of what is long past.',
    ),
  poolPictures: whole(0, 1_000_000)
    .default(10_000)
    .describe(
      'Most unlabelled pictures whose features are kept in pools that are sent (POST /pools/NAME), all together; past it 409. 0: none are accepted.',
    ),
  adaptEvery: amount(0, 8760)
    .default(0)
    .describe(
      'Hours between adaptations that the server makes by itself from its traffic, and only those that a dry run recommends. One replica does it for all. 0: never.',
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

export const serverConfigurationSchema = settingsSchema.superRefine(({ tlsCertificate, tlsKey }, context) => {
  if ((tlsCertificate === undefined) === (tlsKey === undefined)) return;
  const [given, missing] =
    tlsKey === undefined ? (['tlsCertificate', 'tlsKey'] as const) : (['tlsKey', 'tlsCertificate'] as const);
  context.addIssue({ code: 'custom', path: [given], message: `${flagOf(missing)} is needed as well` });
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
