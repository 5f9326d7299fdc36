import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.js';

/**
 * Files that compute get a process of their own: in one that has run others, the compiled form of a hot loop has seen too many kinds of
 * arguments to be fast. The demonstration's draw with an image library that the server's code narrows for its whole process.
 */
const computing = ['core', 'trainer', 'demo', 'bench'].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    // ONNX Runtime sessions are native objects: processes instead of threads, and no more of them than cores.
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: 'test/support/runner/kept-fixtures.ts',
    setupFiles: 'test/support/runner/setup.ts',
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // what a test waits for comes late on a busy machine, and that is no failure
    projects: [
      { extends: true, test: { name: 'computing', include: computing, isolate: true } },
      // The others share processes, so that what they import is loaded once; runner/setup.ts keeps them apart.
      {
        extends: true,
        test: { name: 'sharing', include: ['test/**/*.test.ts'], exclude: computing, isolate: false },
      },
    ],
  },
});
