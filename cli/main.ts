#!/usr/bin/env node
import { CommanderError } from 'commander';
import { Failure } from '../core/failures.js';
import { completeInstallation } from '../core/onnx-runtime-package.js';
import { loadCommands } from './commands/index.js';
import { exitCodes } from './exit-codes.js';
import { createProgram, everyCommand, type Runner } from './program.js';
import { abortedBySignals } from './stop-signals.js';
import { terminalContext } from './terminal.js';

// The reader of our output may close it early (`unseen … | head`), which is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

const stop = abortedBySignals({
  exit: () => process.exit(exitCodes.interrupted),
  note: (line) => {
    terminalContext(false, stop).note(line);
  },
});

const run: Runner = async (json, action) => {
  try {
    await action(terminalContext(json, stop));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (json)
      process.stdout.write(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
    process.stderr.write(`${error.message}\n`);
    process.exitCode = exitCodes[error.code];
  }
};

// Before any command is loaded: most of them load ONNX Runtime with them.
await run(process.argv.includes('--json'), (context) => completeInstallation(context));
if (process.exitCode === undefined) await runProgram();

async function runProgram(): Promise<void> {
  const program = createProgram(await loadCommands(process.argv.at(2)), run);
  everyCommand(program, (command) => command.exitOverride());
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  }
}
