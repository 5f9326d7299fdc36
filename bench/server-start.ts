/** From the start of the process until /readyz says yes, backbone in the cache: npm run bench -- server-start [rounds] */
import { median } from './peer.js';
import { ServerProcess } from './serving/server-process.js';

const rounds = Number(process.argv[2] ?? 5);
const times: number[] = [];
for (let round = 0; round < rounds; round++) {
  const server = await ServerProcess.start({});
  times.push(server.readySeconds);
  await server.stop();
}
console.log(
  `Ready after ${median(times).toFixed(2)} s (median of ${rounds}; slowest ${Math.max(...times).toFixed(2)} s; target 3 s)`,
);
