/** npm run bench -- NAME [arguments]: every figure that the README claims has a file here that prints it. */
const name = process.argv[2];
const known = ['training-step', 'transport', 'head', 'accuracy', 'extraction', 'feature-parity'];
if (!known.includes(name)) {
  console.error(`Usage: npm run bench -- NAME [arguments], with NAME one of ${known.join(', ')}`);
  process.exit(2);
}
process.argv.splice(2, 1);
await import(`./${name}.js`);
