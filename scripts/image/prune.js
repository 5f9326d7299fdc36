// Removes from node_modules what this machine cannot load or nothing opens at run time: binaries for other systems, source
// maps, type declarations, and the link to our own client, which would lead nowhere in an image. Usage: node prune.js NODE_MODULES
import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [modules] = process.argv.slice(2);
if (!modules || !existsSync(join(modules, 'onnxruntime-node'))) {
  console.error(`There is no onnxruntime-node in "${modules ?? ''}". Name the node_modules folder to prune.`);
  process.exit(2);
}
const { platform, arch } = process;
// Debian and Ubuntu are glibc; packages for musl come along because npm cannot tell from the older ones' metadata.
const foreign = /(^|-)(darwin|win32|linuxmusl|musl|wasm32)(-|$)/;
const unread = /\.(map|d\.[cm]?ts)$|(^|\/)(readme|changelog|history)\.(md|markdown)$/i;

let freed = 0;
function remove(path) {
  freed += sizeOf(path);
  rmSync(path, { recursive: true });
}

function sizeOf(path) {
  const found = statSync(path);
  return found.isDirectory() ? folder(path).reduce((sum, inner) => sum + sizeOf(inner), 0) : found.size;
}

function folder(path) {
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

for (const version of folder(join(modules, 'onnxruntime-node', 'bin')))
  for (const system of folder(version))
    for (const machine of folder(system)) if (machine !== join(version, platform, arch)) remove(machine);

for (const scope of ['@img', '@libsql'])
  for (const found of folder(join(modules, scope)))
    if (foreign.test(found.slice(modules.length + scope.length + 2))) remove(found);

// A workspace is linked, not copied, and its folder stays behind.
for (const path of folder(modules)) if (lstatSync(path).isSymbolicLink()) rmSync(path);

for (const name of readdirSync(modules, { recursive: true }))
  if (unread.test(name) && statSync(join(modules, name)).isFile()) remove(join(modules, name));

console.log(`Pruned ${Math.round(freed / 1e6)} MB.`);
