/** Who changed what: one line for every attempt, with the revisions before and after. */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { sendAsIs as send, startTestServer } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: second } = await trainSmallBundle(folder, 2);
const ann = 'the-key-of-ann-in-tests';
const viewer = 'the-key-of-a-viewer-in-tests';
const settings = { adminKeys: [`ann:${ann}`], apiKeys: [`viewer:reading:${viewer}`] };
let served = bundle;
const server = await startTestServer({ bundle: () => served, settings });
const attributes = (value: number) => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);

interface Line {
  readonly audit?: boolean;
  readonly [field: string]: unknown;
}

/** The lines that `work` adds, once there are as many as expected. */
async function audited(count: number, work: () => Promise<unknown>): Promise<Line[]> {
  const lines = (): Line[] =>
    server.log.map((line) => JSON.parse(line) as Line).filter((line) => line.audit === true);
  const before = lines().length;
  await work();
  await expect.poll(() => lines().length - before).toBe(count);
  return lines().slice(before);
}

function change(method: string, path: string, body?: object, key: string | null = ann, more: object = {}) {
  const headers = {
    'content-type': 'application/json',
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...more,
  };
  return send(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test('classes added, replaced and removed: who, what, and the revisions', async () => {
  const [added, again, replaced, removed] = await audited(4, async () => {
    await change('POST', '/classes', { name: 'gnu', attributes: attributes(0.2) });
    await change('POST', '/classes', { name: 'gnu', attributes: attributes(0.2) });
    await change('PUT', '/classes/gnu', { attributes: attributes(0.5) }, ann, { 'if-match': '*' });
    await change('DELETE', '/classes/gnu', undefined, ann, { 'if-match': '*' });
  });
  expect(added).toMatchObject({
    ...{ level: 'info', who: 'ann', what: 'POST classes', outcome: 'changed', address: '127.0.0.1' },
    ...{ classes: [{ name: 'gnu', kind: 'created' }], revisionBefore: 0, revisionAfter: 1 },
  });
  expect(added.requestId).toEqual(expect.any(String));
  expect(again).toMatchObject({ outcome: 'unchanged', revisionBefore: 1, revisionAfter: 1 });
  expect(replaced).toMatchObject({
    ...{ what: 'PUT class', outcome: 'changed', revisionBefore: 1, revisionAfter: 2 },
    classes: [{ name: 'gnu', kind: 'replaced' }],
  });
  expect(removed).toMatchObject({
    ...{ what: 'DELETE class', outcome: 'changed', revisionBefore: 2, revisionAfter: 3 },
    classes: [{ name: 'gnu', kind: 'removed' }],
  });
});

test('a change with an Idempotency-Key is one change, however often it is sent', async () => {
  const more = { 'idempotency-key': 'once' };
  const body = {
    classes: [0.1, 0.3].map((value) => ({ name: `emu ${value}`, attributes: attributes(value) })),
  };
  const [first, second] = await audited(2, async () => {
    await change('POST', '/classes', body, ann, more);
    await change('POST', '/classes', body, ann, more);
  });
  expect(first).toMatchObject({ outcome: 'changed', count: 2, revisionBefore: 3, revisionAfter: 4 });
  expect(second).toMatchObject({ outcome: 'unchanged' });
});

test('attempts without a key, with a wrong one, with a lesser one, and with a wrong body are there, too', async () => {
  const lines = await audited(4, async () => {
    await change('POST', '/classes', {}, null);
    await change('DELETE', '/classes/gnu', undefined, 'a-key-that-nobody-has');
    await change('POST', '/classes', {}, viewer);
    await change('POST', '/classes', { name: 'gnu' });
  });
  expect(lines.map(({ who, outcome, status }) => [who, outcome, status])).toEqual([
    [null, 'refused', 401],
    [null, 'refused', 403],
    ['viewer', 'refused', 403],
    ['ann', 'refused', 422],
  ]);
  expect(lines[1]).toMatchObject({ what: 'DELETE class', target: '/classes/gnu' });
});

test('a reload names the models before and after, by request and by signal', async () => {
  served = second;
  const [byRequest] = await audited(1, () => change('POST', '/admin/reload'));
  const models = { modelBefore: bundle.identity, modelAfter: second.identity };
  expect(byRequest).toMatchObject({ who: 'ann', what: 'POST reload', outcome: 'changed', ...models });
  served = bundle;
  const [bySignal] = await audited(1, () => server.reload());
  expect(bySignal).toMatchObject({ who: 'signal', outcome: 'changed', modelAfter: bundle.identity });
});

test('reading and classifying leave no audit line', async () => {
  const lines = await audited(1, async () => {
    expect((await send(`${server.url}/classes`, { headers: { 'x-api-key': viewer } })).status).toBe(200);
    const picture = await numbered(40);
    const answer = await fetch(`${server.url}/classify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann}`, 'content-type': 'image/png' },
      body: picture as Uint8Array<ArrayBuffer>,
    });
    expect(answer.status).toBe(200);
    await change('POST', '/classes', { name: 'last', attributes: attributes(0.7) }); // whatever came before it is written by now
  });
  expect(lines).toMatchObject([{ what: 'POST classes' }]);
});

test('reading examples, as a backup does, leaves no line; being refused that does', async () => {
  const read = (key: string) =>
    send(`${server.url}/admin/examples?class=last`, { headers: { 'x-api-key': key } });
  const lines = await audited(2, async () => {
    expect((await read(ann)).status).toBe(200);
    expect((await read(viewer)).status).toBe(403);
    await change('POST', '/classes', { name: 'very last', attributes: attributes(0.9) });
  });
  expect(lines).toMatchObject([
    { who: 'viewer', what: 'GET stored-examples', outcome: 'refused', msg: 'Reading was refused.' },
    { what: 'POST classes' },
  ]);
});
