import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // ONNX Runtime sessions are native objects: processes instead of threads, and no more of them than cores.
    pool: 'forks',
    maxWorkers: 2,
    // A process runs one file after another, so that what they import is loaded once; runner/setup.ts keeps them apart.
    isolate: false,
    globalSetup: 'test/support/runner/kept-fixtures.ts',
    setupFiles: 'test/support/runner/setup.ts',
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // what a test waits for comes late on a busy machine, and that is no failure
  },
});
