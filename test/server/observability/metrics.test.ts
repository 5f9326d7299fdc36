import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { infer } from '../../support/open-inference.js';
import { postBytes, postPicture, send, startTestServer } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = await startTestServer({ bundle: () => bundle });
const { url } = server;

/** Value of a sample by its name and labels as printed. */
async function sample(line: string): Promise<number> {
  const page = (await send(`${url}/metrics`)).body as string;
  const found = page.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? NaN : Number(found.slice(line.length + 1));
}

test('each outcome is counted once, by route and status', async () => {
  const probes = await sample('unseen_batch_pictures_sum'); // the picture of the start
  for (let i = 0; i < 3; i++) await postPicture(url, i);
  await postBytes(url, Buffer.from('no picture'));
  await send(`${url}/made-up/${Math.random()}`);
  const requests = 'unseen_http_requests_total';
  expect(await sample(`${requests}{route="classify",method="POST",status="200"}`)).toBe(3);
  expect(await sample(`${requests}{route="classify",method="POST",status="415"}`)).toBe(1);
  expect(await sample(`${requests}{route="unknown",method="GET",status="404"}`)).toBe(1);
  expect(await sample('unseen_pictures_total{outcome="answered"}')).toBe(3);
  expect(await sample('unseen_pictures_total{outcome="image-type-refused"}')).toBe(1);
  for (const stage of ['upload', 'queue', 'infer', 'head'])
    expect(await sample(`unseen_stage_duration_seconds_count{stage="${stage}"}`)).toBeGreaterThanOrEqual(3);
  expect(await sample('unseen_batch_pictures_sum')).toBe(probes + 3);
});

test('verdicts count where all classes may answer with the bias and the threshold of the server', async () => {
  const counted = async (): Promise<number> => {
    const each = ['known', 'unsure', 'unknown'].map((verdict) =>
      sample(`unseen_verdicts_total{verdict="${verdict}"}`),
    );
    return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
  };
  const before = await counted();
  const { head, classes } = bundle.manifest;
  const ownQuestions = ['unknownAt=0', `unseenBias=${head.unseenBiasRange[0]}`, `classes=${classes[0].name}`];
  for (const query of ownQuestions) expect((await postPicture(url, 1, `?${query}`)).status).toBe(200);
  const rows = (parameters: object): Promise<{ status: number }> => {
    const width = bundle.manifest.featureMap.width;
    const features = { name: 'features', datatype: 'FP32', shape: [1, width], data: Array(width).fill(1) };
    return infer(url, { inputs: [features], parameters });
  };
  expect((await rows({ unknown_at: 0 })).status).toBe(200);
  expect(await counted()).toBe(before);
  await postPicture(url, 1, '?topK=1&explain=true&minProbability=0.9');
  await rows({});
  expect(await counted()).toBe(before + 2);
});

test('model, provider, workers and classes are there, and nothing is left in flight', async () => {
  expect(await sample('unseen_provider_info{provider="cpu",requested="cpu"}')).toBe(1);
  const version = bundle.identity.slice(0, 12);
  expect(
    await sample(
      `unseen_model_info{version="${version}",dataset="synthetic",backbone="small",precision="fp32"}`,
    ),
  ).toBe(1);
  expect(await sample('unseen_workers_ready')).toBe(1);
  expect(await sample('unseen_classes{kind="seen"}')).toBe(12);
  expect(await sample('unseen_queue_depth')).toBe(0);
  expect(await sample('unseen_upload_bytes')).toBe(0);
  expect(await sample('unseen_http_requests_in_flight')).toBe(1); // this very one
  expect(await sample('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
});

test('no label holds a class name, and every name follows the conventions', async () => {
  const page = (await send(`${url}/metrics`)).body as string;
  for (const { name } of bundle.manifest.classes) expect(page).not.toContain(name);
  const types = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  for (const [, name, type] of types) {
    expect(name).toMatch(/^[a-z_][a-z0-9_]*$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
  }
});

test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)(
  'promtool finds nothing to complain about',
  async () => {
    const input = (await send(`${url}/metrics`)).body as string;
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  },
);

test('metrics may have a port of their own', async () => {
  const apart = await startTestServer({ bundle: () => bundle, settings: { metricsPort: 0 } });
  expect((await send(apart.metricsUrl)).body).toContain('unseen_workers_ready 1');
  expect((await send(`${apart.url}/metrics`)).status).toBe(404);
});
