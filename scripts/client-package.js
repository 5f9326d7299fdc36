/**
 * Fills client/dist, the content of the package `unseen-client`: the compiled client as it is, with types that need nothing else. The client takes its
 * types from the server's contract, where they are inferred from zod schemas; here the compiler writes out what they are.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiled = join(root, 'dist/client');
const target = join(root, 'client/dist');
const contractTypes = 'answers.d.ts';

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of readdirSync(compiled).filter((file) => /\.(js|d\.ts)$/.test(file))) {
  const text = readFileSync(join(compiled, name), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  writeFileSync(join(target, name), name === contractTypes ? writtenOut(join(compiled, name)) : text);
  if (name !== contractTypes && /from '\.\.\//.test(text))
    throw new Error(
      `client/${name} takes something from outside of client/: let it go through client/answers.ts.`,
    );
}
cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));

/** The exported types of a declaration file, each as a type that names no other. */
function writtenOut(file) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    types: [],
  };
  const program = ts.createProgram([file], {
    ...options,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.NodeBuilderFlags;
  const flags = NoTruncation | InTypeAlias | MultilineObjectLiterals;
  const printer = ts.createPrinter();
  const lines = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((symbol) => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const node = checker.typeToTypeNode(checker.getDeclaredTypeOfSymbol(original), source, flags);
    const text = printer.printNode(ts.EmitHint.Unspecified, node, source);
    // A type that could not be found is `any`, and one that is named elsewhere is an import: neither would be noticed by a user.
    if (text === 'any' || text.includes('import('))
      throw new Error(
        `The type ${symbol.name} of client/answers.ts cannot be written out: ${text.slice(0, 200)}`,
      );
    return `export type ${symbol.name} = ${text};\n`;
  });
  return `/** What the server takes and answers, as its contract has it. */\n${lines.join('')}`;
}
