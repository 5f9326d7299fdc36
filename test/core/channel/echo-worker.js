// A worker for the tests of the channel, in plain JavaScript, so that a process and a thread of plain Node can run it.
import { setTimeout } from 'node:timers';
import { isMainThread } from 'node:worker_threads';
import { Failure } from '../../../dist/core/failures.js';
import { parentProcess } from '../../../dist/core/channel/processes.js';
import { serveRequests, Transferred } from '../../../dist/core/channel/serve.js';
import { parentThread } from '../../../dist/core/channel/threads.js';

const noted = [];
const emit = serveRequests(isMainThread ? parentProcess() : parentThread(), {
  echo: (value) => value,
  async wait({ milliseconds, value }) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return value;
  },
  fail({ code, message }) {
    if (code === null) throw new TypeError(message);
    throw new Failure(code, message, { fields: [{ pointer: '/a', detail: 'b' }], retryAfterSeconds: 7 });
  },
  note(value) {
    if (value === 'poison') throw new Error('a notice that cannot be handled');
    noted.push(value);
  },
  notes: () => noted,
  announce(value) {
    emit('announced', value);
  },
  move(bytes) {
    return new Transferred(bytes, [bytes.buffer]);
  },
  block(milliseconds) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  },
  pid: () => process.pid,
  exit(code) {
    process.exit(code);
  },
});
