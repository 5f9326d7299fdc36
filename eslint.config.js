import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Files in `folder` may not import the folders listed: the dependencies between folders go one way (see ARCHITECTURE.md). */
const mayNotImport = (folder, forbidden) => ({
  files: [`${folder}/**/*.ts`],
  ignores: ['server/playground/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: forbidden.map((name) => ({
          regex: `^(\\.\\./)+${name}/`,
          message: `${folder}/ must not import ${name}/ (see ARCHITECTURE.md).`,
        })),
      },
    ],
  },
});

export default tseslint.config(
  { ignores: ['**/dist/', 'node_modules/', 'out/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off', // indices are checked where they are made
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  mayNotImport('core', ['trainer', 'server', 'client', 'cli', 'demo', 'bench', 'fixtures', 'test']),
  mayNotImport('trainer', ['server', 'client', 'cli', 'demo', 'bench', 'fixtures', 'test']),
  mayNotImport('server', ['trainer', 'client', 'cli', 'demo', 'bench', 'fixtures', 'test']),
  mayNotImport('demo', ['server', 'client', 'cli', 'bench', 'fixtures', 'test']),
  mayNotImport('cli', ['bench', 'fixtures', 'test']),
  // Benchmarks run from dist/, where there are no tests; what tests and benchmarks share lives in fixtures/.
  mayNotImport('bench', ['test']),
  mayNotImport('fixtures', ['client', 'cli', 'bench', 'test']),
  mayNotImport('test/support', ['bench']),
  {
    // The client runs in browsers: of everything else it knows the contract's types, and nothing at runtime.
    files: ['client/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+server/contract/',
              allowTypeImports: true,
              message: 'client/ takes only types from server/contract/.',
            },
            {
              regex: '^(\\.\\./)+(?!\\.\\./|server/contract/)',
              message: 'client/ imports nothing but its own files and types of server/contract/.',
            },
            { regex: '^[^.]', message: 'client/ has no dependencies and runs in browsers.' },
          ],
        },
      ],
    },
  },
  {
    // The playground is a page: it speaks to the server through the client only, as any other page would.
    files: ['server/playground/**/*.ts', 'server/playground/**/*.tsx'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./){2,}(?!client/index\\.js$|\\.\\./)',
              message: 'server/playground/ imports nothing but its own files and client/index.js.',
            },
          ],
        },
      ],
    },
  },
  {
    // onnxruntime-node has one importer, so that providers, threads and fall-backs are decided in one place.
    files: ['trainer/**/*.ts', 'server/**/*.ts', 'cli/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: ['onnxruntime-node'] }] },
  },
  {
    // Tests look into JSON answers of many shapes; the contract's own tests hold these against its schemas.
    files: ['test/server/**/*.ts', 'test/client/**/*.ts', 'test/end-to-end/**/*.ts'],
    rules: Object.fromEntries(
      ['argument', 'assignment', 'call', 'member-access', 'return'].map((kind) => [
        `@typescript-eslint/no-unsafe-${kind}`,
        'off',
      ]),
    ),
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'URL', 'Buffer', 'fetch', 'AbortSignal'].map((name) => [name, 'readonly']),
      ),
    },
  },
);
