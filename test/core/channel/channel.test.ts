import { afterEach, describe, expect, test } from 'vitest';
import { Channel, WorkerLost, type ChannelOptions } from '../../../core/channel/channel.js';
import { forkWorker, processEndpoint } from '../../../core/channel/processes.js';
import { startThread } from '../../../core/channel/threads.js';
import { Failure } from '../../../core/failures.js';

interface EchoRequests {
  echo(value: unknown): unknown;
  wait(argument: { milliseconds: number; value: unknown }): unknown;
  fail(argument: { code: string | null; message: string }): void;
  note(value: string): void;
  notes(): string[];
  announce(value: string): void;
  move(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  block(milliseconds: number): void;
  pid(): number;
  exit(code: number): void;
}

interface EchoEvents {
  announced: string;
}

const file = new URL('./echo-worker.js', import.meta.url);
const opened: Channel<EchoRequests, EchoEvents>[] = [];
const kinds = {
  process: () => processEndpoint(forkWorker(file)),
  thread: () => startThread(file),
};

function open(
  kind: keyof typeof kinds,
  options: Partial<ChannelOptions<EchoEvents>> = {},
): Channel<EchoRequests, EchoEvents> {
  const channel = new Channel<EchoRequests, EchoEvents>(kinds[kind](), {
    name: 'the echo',
    silenceSeconds: 30,
    ...options,
  });
  opened.push(channel);
  return channel;
}

afterEach(async () => {
  for (const channel of opened.splice(0)) {
    channel.close();
    await channel.ended;
  }
});

describe.each(['process', 'thread'] as const)('a worker in a %s', (kind) => {
  test('every request gets its own answer, in order', async () => {
    const channel = open(kind);
    const slow = channel.request('wait', { milliseconds: 100, value: 'slow' });
    const quick = channel.request('echo', 'quick');
    expect(channel.pending).toBe(2);
    expect(await Promise.race([slow, quick])).toBe('slow');
    expect(await quick).toBe('quick');
    expect(channel.pending).toBe(0);
  });

  test('is idle once nothing is owed, and not while whoever got the last answer asks again at once', async () => {
    const channel = open(kind);
    await channel.idle(); // nothing was asked yet
    const seen: string[] = [];
    const again = channel
      .request('wait', { milliseconds: 50, value: 'first' })
      .then((value) => {
        seen.push(value as string);
        return channel.request('wait', { milliseconds: 50, value: 'second' });
      })
      .then((value) => seen.push(value as string));
    await channel.idle();
    expect(seen).toEqual(['first', 'second']);
    await again;
  });

  test('whoever waits for an idle worker learns that it has ended', async () => {
    const channel = open(kind);
    const lost = channel.request('wait', { milliseconds: 60_000, value: 0 }).catch((error: unknown) => error);
    const idle = channel.idle();
    channel.close();
    await idle;
    expect(await lost).toBeInstanceOf(WorkerLost);
    expect(channel.isOpen).toBe(false);
  });

  test('a Failure arrives with its code, fields and Retry-After; another error with its message and its stack', async () => {
    const channel = open(kind);
    const failure = await channel
      .request('fail', { code: 'attributes-invalid', message: 'no' })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      code: 'attributes-invalid',
      message: 'no',
      fields: [{ pointer: '/a', detail: 'b' }],
      retryAfterSeconds: 7,
    });
    const defect = await channel
      .request('fail', { code: null, message: 'odd' })
      .catch((error: unknown) => error);
    expect(defect).not.toBeInstanceOf(Failure);
    expect((defect as Error).message).toBe('odd');
    expect((defect as Error).stack).toContain('echo-worker.js');
  });

  test('what waits fails when the worker ends, and so does what is asked afterwards', async () => {
    const channel = open(kind);
    const asked = [channel.request('exit', 3), channel.request('echo', 1), channel.request('echo', 2)];
    const lost = await Promise.allSettled(asked);
    for (const { status } of lost) expect(status).toBe('rejected');
    expect(await channel.ended).toMatchObject({ message: 'the echo ended (exit code 3)', how: 'exited' });
    await expect(channel.request('echo', 4)).rejects.toBeInstanceOf(WorkerLost);
    expect(channel.isOpen).toBe(false);
  });

  test('what waits fails when the channel is closed, with the reason, before the worker is gone', async () => {
    const channel = open(kind);
    await channel.request('echo', 'up');
    const asked = channel.request('wait', { milliseconds: 60_000, value: 0 });
    channel.close('the echo is being restarted');
    await expect(asked).rejects.toThrow(new WorkerLost('the echo is being restarted', 'closed'));
    expect((await channel.lost).message).toBe('the echo is being restarted');
    expect((await channel.ended).message).toBe('the echo is being restarted');
  });

  test('a worker in an endless loop is silent, and is ended with all that waits', async () => {
    const channel = open(kind, { silenceSeconds: 1.5 });
    await channel.request('echo', 'up');
    const asked = [channel.request('block', 60_000), channel.request('echo', 1)];
    await expect(Promise.all(asked)).rejects.toThrow('the echo sent nothing for 1.5 s');
    expect((await channel.lost).how).toBe('silent');
    expect(channel.silentSeconds).toBe(0); // it owes nothing any more
    if (kind === 'process') await channel.ended; // a thread ends when its native call returns
  });

  test('a request that takes longer than the limit on silence is no hang: the worker reports that it is alive', async () => {
    const channel = open(kind, { silenceSeconds: 3 });
    expect(await channel.request('wait', { milliseconds: 4000, value: 'done' })).toBe('done');
  });

  test('a deadline counts from the moment at which nothing is ahead of the request', async () => {
    const channel = open(kind);
    await channel.request('echo', 'up');
    const first = channel.request('wait', { milliseconds: 1500, value: 1 });
    const second = channel.request('wait', { milliseconds: 100, value: 2 }, { deadlineSeconds: 1.4 });
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    const late = channel.request('wait', { milliseconds: 60_000, value: 3 }, { deadlineSeconds: 0.2 });
    await expect(late).rejects.toThrow('the echo did not answer within 0.2 s');
  });

  test('whoever stops waiting is answered at once; the worker and the other requests are not disturbed', async () => {
    const channel = open(kind);
    const controller = new AbortController();
    const given = channel.request('wait', { milliseconds: 200, value: 1 }, { signal: controller.signal });
    const other = channel.request('echo', 2);
    controller.abort(new Failure('deadline-exceeded', 'too late'));
    await expect(given).rejects.toThrow('too late');
    expect(await other).toBe(2);
    await expect(channel.request('echo', 3, { signal: controller.signal })).rejects.toThrow('too late');
  });

  test('notices are handled in turn with requests; one that cannot be handled ends the worker', async () => {
    const channel = open(kind);
    channel.notify('note', 'a');
    const before = channel.request('notes', undefined);
    channel.notify('note', 'b');
    expect([await before, await channel.request('notes', undefined)]).toEqual([['a'], ['a', 'b']]);
    channel.notify('note', 'poison');
    await expect(channel.request('echo', 1)).rejects.toBeInstanceOf(WorkerLost);
  });

  test('events arrive before the answer of the request that caused them', async () => {
    const events: string[] = [];
    const channel = open(kind, { onEvent: (_kind, value) => events.push(value) });
    await channel.request('announce', 'here');
    expect(events).toEqual(['here']);
  });

  test('bytes arrive as they were sent, and come back', async () => {
    const channel = open(kind);
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
    const { buffer } = bytes;
    const back = await channel.request('move', bytes, { transfer: [buffer] });
    expect([...back]).toEqual(Array.from({ length: 1000 }, (_, i) => i % 256));
    if (kind === 'thread') expect(buffer.byteLength).toBe(0); // it moved
  });
});

test('a stopped process is silent, is killed, and what waits fails', async () => {
  const channel = open('process', { silenceSeconds: 1.5 });
  process.kill(await channel.request('pid', undefined), 'SIGSTOP');
  await expect(channel.request('echo', 1)).rejects.toThrow('the echo sent nothing for 1.5 s');
  expect(await channel.ended).toBeInstanceOf(WorkerLost);
});

test('a file that does not exist is a lost worker', async () => {
  const missing = new Channel<EchoRequests>(startThread(new URL('./nothing.js', import.meta.url)), {
    name: 'nothing',
    silenceSeconds: 30,
  });
  await expect(missing.request('echo', 1)).rejects.toThrow(/^nothing ended \(.*nothing\.js/);
});
