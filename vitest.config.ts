import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // ONNX Runtime sessions are native objects: a process of its own per file, and no more of them than cores.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // what a test waits for comes late on a busy machine, and that is no failure
  },
});
