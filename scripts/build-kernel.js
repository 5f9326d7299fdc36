// Assembles trainer/engine/adam-kernel.wat into the module that adam-kernel.ts embeds. Run it after a change to the
// .wat file and commit both: a test assembles it again and compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import wabt from 'wabt';

const folder = new URL('../trainer/engine/', import.meta.url);
const { parseWat } = await wabt();
const assembled = parseWat('adam-kernel.wat', readFileSync(new URL('adam-kernel.wat', folder), 'utf8'), {
  simd: true,
});
const base64 = Buffer.from(assembled.toBinary({}).buffer).toString('base64');
const target = new URL('adam-kernel-binary.ts', folder);
const source = `// Made by scripts/build-kernel.js from adam-kernel.wat.
export const adamKernelBinary = '${base64}';
`;
writeFileSync(target, await format(source, { ...(await resolveConfig(target)), parser: 'typescript' }));
