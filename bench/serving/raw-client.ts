/** Sends arbitrary bytes over a connection of its own and collects the statuses of the responses. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MalformedRequest } from './malformed/request.js';

/** How it ended: the statuses answered, or that the connection was closed without one, or that nothing happened. */
export type RawOutcome = readonly number[] | 'closed' | 'aborted' | 'hung';

export async function sendRaw(url: string, request: MalformedRequest, patience: number): Promise<RawOutcome> {
  const { hostname, port } = new URL(url);
  const { then = 'wait', untilClosed = false, pause } = request;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const state = { received: '', isOver: false };
  const over = new Promise<'over' | 'hung'>((resolve) => {
    const end = (how: 'over' | 'hung'): void => {
      state.isOver = true;
      clearTimeout(timer);
      resolve(how);
    };
    const timer = setTimeout(end, patience, 'hung');
    socket.on('data', (bytes) => {
      state.received += bytes.toString('latin1');
      if (!untilClosed && statusesIn(state.received).length > 0) end('over');
    });
    for (const event of ['end', 'close', 'error'] as const)
      socket.on(event, () => {
        end('over');
      });
  });
  for (const [index, part] of request.parts.entries()) {
    if (index > 0 && pause !== undefined) await sleep(pause);
    if (state.isOver || socket.destroyed) break;
    socket.write(part);
  }
  if (then === 'abort') {
    await sleep(1); // so that part of it has been sent
    socket.resetAndDestroy();
    return 'aborted';
  }
  if (then === 'end') socket.end();
  const how = await over;
  socket.destroy();
  const statuses = statusesIn(state.received);
  if (statuses.length > 0) return statuses;
  return how === 'hung' ? 'hung' : 'closed';
}

/** "100 Continue" does not count as a response. */
function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map((match) => Number(match[1]))
    .filter((status) => status >= 200);
}
