/** What one connection may do: send many requests at once, send a body that nobody wants, not take its answers. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inTurn } from '../../server/http/in-turn.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
}

function open(url: string, { reads = true } = {}): Connection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  if (reads) socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  else socket.pause();
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      resolve();
    }),
  );
  return { socket, received: () => text, closed };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

async function listen(handle: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('requests that are sent without waiting for answers', () => {
  test('are begun one after another, and answered in their order', async () => {
    let underWay = 0;
    let most = 0;
    const { url } = await listen(
      inTurn((request, response) => {
        most = Math.max(most, ++underWay);
        setTimeout(() => {
          underWay -= 1;
          response.end(request.url);
        }, 1);
      }),
    );
    const { socket, received } = open(url);
    socket.write(Array.from({ length: 50 }, (_, i) => get(`/${i}/`)).join(''));
    await expect.poll(() => statuses(received()).length).toBe(50);
    expect(most).toBe(1);
    expect([...received().matchAll(/\/(\d+)\//g)].map(([, i]) => Number(i))).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
  });

  test('are not begun behind an answer that ends the connection', async () => {
    const begun: string[] = [];
    const { url } = await listen(
      inTurn((request, response) => {
        begun.push(request.url!);
        response.setHeader('Connection', 'close');
        response.end(request.url);
      }),
    );
    const { socket, received, closed } = open(url);
    socket.write(get('/1') + get('/2') + get('/3'));
    await closed;
    expect(statuses(received())).toEqual(['200']);
    expect(begun).toEqual(['/1']);
  });

  test('are too many at some number: the connection is closed, and what waited is never begun', async () => {
    let begun = 0;
    const { url } = await listen(
      inTurn(
        () => {
          begun += 1; // and never answered
        },
        { maxWaiting: 10 },
      ),
    );
    const { socket, closed } = open(url);
    socket.write(get('/').repeat(100));
    await closed;
    expect(begun).toBe(1);
  });
});

describe('answers that are not taken', () => {
  const large = Buffer.alloc(20_000_000);

  test('keep their connection for a limited time', async () => {
    const { server, url } = await listen(
      inTurn((_request, response) => response.end(large), { stalledMilliseconds: 200 }),
    );
    open(url, { reads: false }).socket.write(get('/'));
    const count = (): Promise<number> =>
      new Promise((resolve) => {
        server.getConnections((_error, connections) => {
          resolve(connections);
        });
      });
    await expect.poll(count).toBe(1);
    await expect.poll(count, { timeout: 5000 }).toBe(0);
  });

  test('may take so much memory together: those that have waited longest go first', async () => {
    const ended: string[] = [];
    const { url } = await listen(
      inTurn(
        (request, response) => {
          response.once('close', () => ended.push(request.url!));
          response.end(large);
        },
        { maxUntakenBytes: 50_000_000 },
      ),
    );
    for (const path of ['/1', '/2', '/3', '/4']) {
      open(url, { reads: false }).socket.write(get(path));
      await sleep(50);
    }
    await expect.poll(() => ended).toEqual(['/1', '/2']);
    const { socket, received } = open(url);
    socket.write(get('/good'));
    await expect.poll(() => received().length).toBeGreaterThan(large.length);
    expect(ended.slice(0, 3)).toEqual(['/1', '/2', '/3']);
  });
});

describe('of a running server', () => {
  let server: TestServer;
  let picture: Buffer;

  beforeAll(async () => {
    const { bundle } = await trainSmallBundle(temporaryFolder());
    server = await startTestServer({
      bundle: () => bundle,
      settings: { queue: 1, batchSize: 1, bodyBytesPerSecond: 0 },
    });
    picture = Buffer.from(await numbered(1));
  });

  const post = (bytes: Uint8Array): Buffer =>
    Buffer.concat([
      Buffer.from(
        `POST /classify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      ),
      bytes,
    ]);

  test('a connection that goes away with requests in it leaves none of them under way', async () => {
    const { socket } = open(server.url);
    socket.write(get('/classes').repeat(60));
    await sleep(5);
    socket.resetAndDestroy();
    const inFlight = async () => (await server.dependencies.metrics.inFlight.get()).values[0].value;
    await expect.poll(inFlight).toBe(0);
  });

  test('a body that was refused is skipped, and what comes behind it in the same packet is read whole', async () => {
    const holding = open(server.url);
    holding.socket.write(post(picture).subarray(0, 200)); // the only place
    await expect.poll(() => server.models.current.inference.state.queued).toBe(1);
    const { socket, received } = open(server.url);
    socket.write(Buffer.concat([post(Buffer.alloc(300_000)), post(Buffer.alloc(10))]));
    await expect.poll(() => statuses(received())).toEqual(['429', '429']);
    holding.socket.destroy();
    await expect.poll(() => server.models.current.inference.state.queued).toBe(0);
    socket.write(post(picture)); // the same connection, and the parser that skipped
    await expect.poll(() => statuses(received())).toEqual(['429', '429', '200']);
  });

  test('a refused body that its client breaks off spoils no other connection', async () => {
    const holding = open(server.url);
    holding.socket.write(post(picture).subarray(0, 200));
    await expect.poll(() => server.models.current.inference.state.queued).toBe(1);
    for (let i = 0; i < 20; i++) {
      const { socket, received } = open(server.url);
      socket.write(post(Buffer.alloc(300_000)).subarray(0, 1000));
      await expect.poll(() => statuses(received())).toEqual(['429']);
      socket.destroy();
    }
    holding.socket.destroy();
    await expect.poll(() => server.models.current.inference.state.queued).toBe(0);
    for (let i = 0; i < 20; i++) {
      const { socket, received } = open(server.url); // with parsers that were used before
      socket.write(post(picture));
      await expect.poll(() => statuses(received())).toEqual(['200']);
    }
  });
});
