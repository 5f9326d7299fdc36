import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** The half named may not reach into the folders listed: trainer -> core and server -> core only. */
const mayNotImport = (folder, forbidden) => ({
  files: [`${folder}/**/*.ts`],
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
  { ignores: ['dist/', 'node_modules/', 'out/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
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
  mayNotImport('core', ['trainer', 'server', 'cli', 'bench', 'test']),
  mayNotImport('trainer', ['server', 'cli', 'bench', 'test']),
  mayNotImport('server', ['trainer', 'cli', 'bench', 'test']),
  {
    // onnxruntime-node has one importer, so that providers, threads and fall-backs are decided in one place.
    files: ['trainer/**/*.ts', 'server/**/*.ts', 'cli/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: ['onnxruntime-node'] }] },
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' },
    },
  },
);
