/** The inference worker ended again and again under load: npm run bench -- server-kills [PHOTOS_DIR] [--kills 50] */
import { parseArgs } from 'node:util';
import { quantile } from './quantiles.js';
import { closedLoop, countByStatus } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '50' } },
});
const kills = Number(values.kills);
const pictures = await benchmarkPictures(positionals[0]);
const server = await ServerProcess.start({}, './killable-server.js');
let killed = 0;
const health: number[] = [];
const killing = (async () => {
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  while (killed < kills) {
    await pause(200 + 1300 * Math.random());
    server.tell('kill');
    killed += 1;
    const started = performance.now();
    await fetch(`${server.url}/healthz`);
    health.push(performance.now() - started);
    await pause(200); // until its end has been noticed
    while ((await server.metric('unseen_workers_ready')) === 0) await pause(50);
  }
})();
const { outcomes, seconds } = await closedLoop(server.url, pictures, {
  clients: 16,
  until: () => killed >= kills,
});
await killing;
const restarts = await server.metric('unseen_worker_restarts_total');
console.log(`${killed} workers ended in ${seconds.toFixed(0)} s under load; ${restarts} were replaced.`);
console.log(`  answers             ${countByStatus(outcomes)}`);
console.log(
  `  /healthz, slowest   ${Math.max(...health).toFixed(0)} ms, median ${quantile(health, 0.5).toFixed(0)} ms`,
);
console.log(`  the server runs on  ${String(server.running)}`);
await server.stop();
