/** npm run bench -- NAME [arguments]: every figure that README and docs claim has a file here that prints it. */
import { readdirSync } from 'node:fs';

const name = process.argv[2];
const notCommands = ['main.js', 'peer.js', 'report-memory.js'];
const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.js') && !notCommands.includes(file))
  .map((file) => file.slice(0, -'.js'.length));
if (!known.includes(name)) {
  console.error(`Usage: npm run bench -- NAME [arguments], with NAME one of ${known.join(', ')}`);
  process.exit(2);
}
process.argv.splice(2, 1);
await import(`./${name}.js`);
