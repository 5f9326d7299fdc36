import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * pass; hang: nothing goes through; cut: the connection ends when the COMMIT of a change comes by, before or after it goes on,
 * and all is well again; hang-after-commit: that COMMIT goes on, and then nothing goes through. Reading, as polls do, has a COMMIT
 * too: it may come at any moment, and passes.
 */
type Behaviour = 'pass' | 'hang' | 'cut-before-commit' | 'cut-after-commit' | 'hang-after-commit';

export interface CuttingProxy {
  readonly port: number;
  behaviour: Behaviour;
  /** How many connections it has ended. */
  cuts: number;
  close(): Promise<void>;
}

/** The way to a PostgreSQL, with the accidents that networks have. */
export async function startProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (proxy.behaviour !== 'hang') (socket === near ? far : near).destroy();
      });
    }
    let isCut = false;
    let isChange = false;
    near.on('data', (bytes) => {
      if (proxy.behaviour === 'hang') return;
      if (bytes.includes('BEGIN ')) isChange = bytes.includes('READ WRITE');
      if (proxy.behaviour !== 'pass' && isChange && bytes.includes('COMMIT\0')) {
        const goesOn = proxy.behaviour !== 'cut-before-commit';
        proxy.behaviour = proxy.behaviour === 'hang-after-commit' ? 'hang' : 'pass';
        proxy.cuts++;
        isCut = true;
        if (goesOn) far.write(bytes); // its answer comes and is thrown away
        setTimeout(() => near.destroy(), goesOn ? 100 : 0);
        return;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (proxy.behaviour !== 'hang' && !isCut) near.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CuttingProxy = {
    port: (server.address() as AddressInfo).port,
    behaviour: 'pass',
    cuts: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
