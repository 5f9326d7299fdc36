/** Fetches weights from the source in their catalogue entry, and rejects bytes whose hash differs. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import { sha256Of } from '../hash.js';
import type { Progress, Watcher } from '../progress.js';
import type { BackboneSource } from './catalogue.js';

/** A package of the registry, by its hash. */
type NpmSource = Pick<
  Extract<BackboneSource, { kind: 'npm' }>,
  'package' | 'version' | 'integrity' | 'bytes'
>;
type UrlSource = Extract<BackboneSource, { kind: 'url' }>;

/** The tarball, by the user's own npm: its registry, proxy and credentials are what npm is configured with. */
export async function fetchNpmPackage(
  source: NpmSource,
  watcher: Watcher,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Uint8Array> {
  const wanted = `${source.package}@${source.version}`;
  const folder = await mkdtemp(join(tmpdir(), 'unseen-fetch-'));
  const mebibytes = Math.round(source.bytes / 2 ** 20);
  watcher.note(`Fetching ${wanted} with npm (${mebibytes} MiB) …`);
  const progress = watcher.progress(`Fetching ${wanted}, MiB`, mebibytes);
  const watching = await watchGrowth(source.bytes, progress, environment);
  try {
    // --ignore-scripts: the package is only fetched, and none of its code ever runs.
    const flags = ['--ignore-scripts', '--loglevel=error', '--fetch-retry-mintimeout=2000'];
    const { code, errors } = await npm(
      ['pack', wanted, '--pack-destination', folder, ...flags],
      environment,
      watcher.signal,
    );
    if (watcher.signal.aborted) throw new Failure('interrupted', 'Stopped on request.');
    if (code !== 0) throw npmFailure(wanted, errors);
    const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const bytes = await readFile(join(folder, file));
    checkIntegrity(bytes, source, wanted);
    return bytes;
  } finally {
    watching.stop();
    progress.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function checkIntegrity(bytes: Uint8Array, { integrity }: NpmSource, wanted: string): void {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found === integrity) return;
  throw new Failure(
    'backbone-invalid',
    `The registry's ${wanted} is not the package that was asked for: its hash is ${found}, not ${integrity}. It was discarded. Ask the operator of the registry ("npm config get registry") why it differs.`,
  );
}

/** npm reports nothing until it exits; the size of the unfinished files in its cache shows the progress. */
async function watchGrowth(
  total: number,
  progress: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<{ stop: () => void }> {
  const started = Date.now() - 1000;
  const { code, output } = await npm(['config', 'get', 'cache', '--loglevel=error'], environment);
  const folder = join(output.trim(), '_cacache', 'tmp');
  let largest = 0;
  const look = async (): Promise<void> => {
    const files = await readdir(folder).catch(() => []);
    const sizes = await Promise.all(
      files.map(async (name) => {
        const found = await stat(join(folder, name)).catch(() => null);
        return found?.isFile() && found.birthtimeMs >= started ? found.size : 0;
      }),
    );
    largest = Math.max(largest, ...sizes); // a finished file moves to its place in the cache and no longer counts
    progress.update(Math.round(Math.min(total, largest) / 2 ** 20));
  };
  const timer = code === 0 ? setInterval(() => void look(), 500) : undefined;
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}

interface NpmAnswer {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function npm(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<NpmAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32', // npm is a .cmd file there
      ...(signal && { signal }),
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.name === 'AbortError') resolve({ code: null, output, errors });
      else
        reject(
          new Failure(
            'backbone-unavailable',
            `npm cannot be started (${error.message}). Fetching packages needs npm, which comes with Node.js.`,
            { cause: error },
          ),
        );
    });
    child.on('close', (code) => {
      resolve({ code, output, errors });
    });
  });
}

const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED/;

function npmFailure(wanted: string, errors: string): Failure {
  const lines = errors.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim());
  const code = /^code (\S+)$/m.exec(lines.join('\n'))?.[1] ?? '';
  const reason = lines.find((line) => line !== '' && !line.startsWith('code ')) ?? 'npm gave no reason';
  const because = (what: string): Failure =>
    new Failure('backbone-unavailable', `${wanted} cannot be fetched: ${what}\nnpm says: ${code} ${reason}`);
  if (unreachable.test(code) || unreachable.test(errors))
    return because(
      'the npm registry cannot be reached. Check the connection, proxy and "npm config get registry"; or fetch on another machine and copy models/weights.',
    );
  if (/ENOSPC/.test(errors))
    return because('the disk is full. Free space where npm keeps its cache ("npm config get cache").');
  if (/^E40[13]$/.test(code))
    return because('the registry asks for credentials. Log in with "npm login", or fix your .npmrc.');
  if (code === 'E404' || code === 'ETARGET')
    return because('your npm registry does not have it. Let it mirror the public one, or set "registry".');
  if (code === 'EINTEGRITY')
    return because('what arrived is damaged. Run "npm cache verify" and try once more.');
  return because('npm failed.');
}

/** The bytes of the first address that has them. */
export async function fetchUrl(source: UrlSource, watcher: Watcher): Promise<Uint8Array> {
  const errors: string[] = [];
  for (const url of source.urls) {
    watcher.note(`Fetching ${url} (${Math.round(source.bytes / 2 ** 20)} MiB) …`);
    let bytes: Uint8Array;
    try {
      bytes = await download(url, source.bytes, watcher);
    } catch (error) {
      if (watcher.signal.aborted) throw new Failure('interrupted', 'Stopped on request.', { cause: error });
      errors.push(`${url}: ${reasonOf(error)}`);
      continue;
    }
    const found = sha256Of(bytes);
    if (found === source.sha256) return bytes;
    errors.push(`${url}: sha256 ${found} instead of ${source.sha256}; discarded`);
  }
  throw new Failure(
    'backbone-unavailable',
    `The weights could not be fetched from any address:\n${errors.map((line) => `  - ${line}`).join('\n')}\nFetch the file by other means, and add it with "unseen backbone add --file".`,
  );
}

async function download(url: string, expected: number, watcher: Watcher): Promise<Uint8Array> {
  const response = await fetch(url, { signal: watcher.signal });
  if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
  const progress = watcher.progress('Fetching, MiB', Math.round(expected / 2 ** 20));
  const bytes = new Uint8Array(expected);
  let length = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      if (length + chunk.length > expected) throw new Error(`it is longer than ${expected} bytes`);
      bytes.set(chunk, length);
      length += chunk.length;
      progress.update(Math.round(length / 2 ** 20));
    }
  } finally {
    progress.stop();
  }
  if (length < expected) throw new Error(`it ended after ${length} of ${expected} bytes`);
  return bytes;
}

/** fetch() reports only "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
