import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { abortedBySignals } from '../../cli/stop-signals.js';

function listening() {
  const source = new EventEmitter();
  const said: string[] = [];
  let time = 1000;
  const signal = abortedBySignals({
    source,
    now: () => time,
    exit: () => said.push('exit'),
    note: (line) => said.push(line),
  });
  const at = (milliseconds: number, name: string): void => {
    time = 1000 + milliseconds;
    source.emit(name);
  };
  return { at, said, signal };
}

const stopping = 'Stopping at the next safe point; Ctrl-C again ends at once.';

test('the first Ctrl-C asks to stop and says so, the second ends at once', () => {
  const { at, said, signal } = listening();
  expect(signal.aborted).toBe(false);
  at(0, 'SIGINT');
  expect([signal.aborted, said]).toEqual([true, [stopping]]);
  at(600, 'SIGINT');
  expect(said).toEqual([stopping, 'exit']);
});

test('a Ctrl-C that npm forwards a moment later is the same one', () => {
  const { at, said } = listening();
  at(0, 'SIGINT');
  at(1, 'SIGINT');
  at(400, 'SIGTERM');
  expect(said).toEqual([stopping]);
  at(900, 'SIGINT');
  expect(said).toEqual([stopping, 'exit']);
});

test('SIGTERM stops without a word, and a second one ends at once', () => {
  const { at, said, signal } = listening();
  at(0, 'SIGTERM');
  expect([signal.aborted, said]).toEqual([true, []]);
  at(600, 'SIGTERM');
  expect(said).toEqual(['exit']);
});
