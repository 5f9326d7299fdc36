/**
 * ONNX Runtime where npm could not install it. The package has every CPU binary in it, but its install script insists on CUDA libraries from
 * another host on Linux, and fails where only the npm registry can be reached. So it is an optional dependency: npm then goes on without it,
 * and what it left out is put in place at the first start, by the same npm, without running the script.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fetchNpmPackage } from './backbone/fetch.js';
import { readTar } from './backbone/tar.js';
import { Failure } from './failures.js';
import type { Watcher } from './progress.js';
import { projectFolder } from './project-folder.js';

/** As package-lock.json has it: a registry that answers with anything else is refused. */
export const onnxRuntimePackage = {
  package: 'onnxruntime-node',
  version: '1.30.0',
  integrity:
    'sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==',
  bytes: 113_507_888,
} as const;

/** Does nothing where it is installed; `root` is the folder of our package. */
export async function completeInstallation(
  watcher: Watcher,
  root = projectFolder(),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (isInstalled(root)) return;
  const { package: name, version } = onnxRuntimePackage;
  watcher.note(`npm left ${name} out when it installed Unseen; it is completed now, once.`);
  try {
    const files = readTar(gunzipSync(await fetchNpmPackage(onnxRuntimePackage, watcher, environment)));
    await place(files, join(root, 'node_modules', name));
  } catch (error) {
    if (watcher.signal.aborted) throw error;
    throw new Failure(
      'engine-unavailable',
      `${name} is missing and could not be put in place: ${(error as Error).message}\nInstall it beside Unseen: npm install --ignore-scripts ${name}@${version}`,
      { cause: error },
    );
  }
}

function isInstalled(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve(onnxRuntimePackage.package);
    return true;
  } catch {
    return false;
  }
}

/** What this machine needs of it, whole or not at all: another process may be doing the same. */
async function place(files: ReadonlyMap<string, Uint8Array>, target: string): Promise<void> {
  const { platform, arch } = process;
  const wanted = new RegExp(`^package/(package\\.json|LICENSE.*|dist/.*|bin/[^/]+/${platform}/${arch}/.*)$`);
  await mkdir(dirname(target), { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    for (const [name, content] of files) {
      if (!wanted.test(name)) continue;
      const file = join(partial, ...name.split('/').slice(1));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    await chmod(partial, 0o755); // temporary folders are their owner's alone
    await rename(partial, target);
  } catch (error) {
    if (!existsSync(join(target, 'package.json'))) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
