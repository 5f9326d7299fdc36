/** /pools and /adaptations over HTTP, from the first picture to the way back; and the sample of classified pictures. */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { serverKey } from '../../../fixtures/server-key.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { answerError } from '../../../server/http/errors.js';
import { identify } from '../../../server/http/keys.js';
import { requestContext } from '../../../server/http/request-context.js';
import { adaptationRoutes } from '../../../server/routes/adaptations.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { postPicture, send, sendAsIs, startTestServer, testKey } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const json = { 'content-type': 'application/json' };
const post = (url: string, body: unknown, query = '') =>
  send(`${url}/adaptations${query}`, { method: 'POST', headers: json, body: JSON.stringify(body) });

/** 120 pictures of few colours, so that they say something. */
async function fill(client: UnseenClient, pool: string, from = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < 120; at += 15) {
    const pictures = await Promise.all(Array.from({ length: 15 }, (_, i) => numbered(from + at + i)));
    const { added } = await client.addToPool(pool, pictures);
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}

describe('a server without a sample of its traffic', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { poolPictures: 150 } });
  const { url } = server;
  const client = new UnseenClient({ url, key: serverKey, retries: 0 });
  const audited = () =>
    server.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit);

  test('keeps nothing of classified pictures', async () => {
    for (let i = 0; i < 5; i++) await postPicture(url, i);
    expect(await client.pools()).toEqual({ pools: [], learnFromTraffic: 0, poolDays: 30 });
    const { status, body } = await post(url, {}, '?dryRun=true');
    expect([status, body.code]).toEqual([422, 'too-few-pictures']);
    expect(body.detail).toContain('--learn-from-traffic');
  });

  test('pictures are pooled, previewed, learnt from, shown and taken back; each change leaves a line of audit', async () => {
    const ids = await fill(client, 'holiday');
    expect(new Set(ids).size).toBe(120);
    expect(await client.pool('holiday')).toMatchObject({ name: 'holiday', pictures: 120, unusable: 0 });
    const before = (await postPicture(url, 3, '?topK=1000')).body;
    const preview = await client.previewAdaptation('holiday');
    expect(preview).toMatchObject({ dryRun: true, pool: 'holiday', pictures: 120, registryRevision: 0 });
    expect(preview.movedClasses).toBeGreaterThan(0);

    const made = await post(url, { pool: 'holiday' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/adaptations/${made.body.id}`);
    expect(made.headers.get('registry-revision')).toBe('1');
    const report = { ...preview, dryRun: undefined, registryRevision: undefined };
    expect(made.body).toMatchObject({ active: true, undone: null, revision: 1 });
    expect(made.body.report).toEqual(report);
    const during = (await postPicture(url, 3, '?topK=1000')).body;
    expect(during.registryRevision).toBe(1);
    expect(during.predictions).not.toEqual(before.predictions);

    const again = await post(url, { pool: 'holiday' });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const { adaptations } = await client.adaptations();
    expect(adaptations).toMatchObject([
      { id: made.body.id, active: true, movedClasses: preview.movedClasses },
    ]);
    expect((await client.adaptation(made.body.id)).report).toEqual(report);

    await client.undoAdaptation(made.body.id);
    const after = (await postPicture(url, 3, '?topK=1000')).body;
    expect(after.predictions).toEqual(before.predictions);
    expect((await client.adaptations()).adaptations).toMatchObject([
      { active: false, undone: { revision: 2 } },
    ]);
    const lines = audited().map(({ what, outcome }) => `${String(what)} ${String(outcome)}`);
    expect(lines).toContain('POST adaptations changed');
    expect(lines).toContain('POST adaptations unchanged');
    expect(lines).toContain('DELETE adaptation changed');
    expect(lines).toContain('POST pool changed');
    await client.removePool('holiday');
    expect((await client.pools()).pools).toEqual([]);
  });

  test('a request with an Idempotency-Key is learnt from once, also when its sender goes away and asks again', async () => {
    await fill(client, 'once');
    const keyed = (pool: string, signal?: AbortSignal) =>
      send(`${url}/adaptations`, {
        method: 'POST',
        headers: { ...json, 'idempotency-key': 'learn-1' },
        body: JSON.stringify({ pool }),
        ...(signal && { signal }),
      });
    const revision = (await client.adaptations()).registryRevision;
    const linesBefore = audited().length;
    await expect(keyed('once', AbortSignal.timeout(20))).rejects.toThrow(); // goes on nevertheless
    const answer = await keyed('once');
    await expect.poll(() => audited().length - linesBefore).toBe(2);
    const outcomes = audited()
      .slice(linesBefore)
      .map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['changed', 'unchanged']);
    expect(answer.status).toBe(201);
    const again = await keyed('once');
    expect([again.status, again.body.id]).toEqual([201, answer.body.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await client.adaptations()).registryRevision).toBe(revision + 1);
    const other = await keyed('another');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
    await client.undoAdaptation(answer.body.id);
    await client.removePool('once');
  });

  test('one that takes too long is answered 503; it goes on, and the same request again gets its result; the audit log says when it was made', async () => {
    await fill(client, 'slow');
    const linesBefore = audited().length;
    const { metrics, logger, keys } = server.dependencies;
    const app = express();
    app.use(requestContext(metrics, logger), identify(keys));
    app.use(adaptationRoutes(server.dependencies, { answerSeconds: 0.02 }), answerError);
    const keyed = (to: Parameters<typeof request>[0]) =>
      request(to)
        .post('/adaptations')
        .set({ authorization: `Bearer ${testKey}`, 'idempotency-key': 'slow-1' })
        .send({ pool: 'slow' });
    const early = await keyed(app);
    expect([early.status, early.headers['retry-after']]).toEqual([503, '5']);
    expect(early.body).toMatchObject({ code: 'fitting-unavailable' });
    expect((early.body as { detail: string }).detail).toContain('the same Idempotency-Key');
    const late = await keyed(url); // as it is served, with a minute: joins the one under way
    expect(late.status).toBe(201);
    const after = await keyed(url); // remembered by now; a loaded machine takes longer than 20 ms for it
    expect([after.status, (after.body as { id: string }).id]).toEqual([
      201,
      (late.body as { id: string }).id,
    ]);
    expect((await client.adaptations()).adaptations.filter(({ pool }) => pool === 'slow')).toHaveLength(1);
    const { id, revision } = late.body as { id: string; revision: number };
    await expect.poll(() => audited().length - linesBefore).toBe(3);
    const lines = audited().slice(linesBefore);
    const made = lines.filter(({ outcome }) => outcome === 'changed');
    expect(made).toMatchObject([{ requestId: early.headers['x-request-id'], adaptation: id, pool: 'slow' }]);
    expect(made).toMatchObject([{ revisionBefore: revision - 1, revisionAfter: revision }]);
    expect(made[0].address).toEqual(expect.any(String));
    expect(lines.map(({ outcome }) => outcome).sort()).toEqual(['changed', 'unchanged', 'unchanged']);
    await client.undoAdaptation(id);
    await client.undoAdaptation(id);
    await expect.poll(() => audited().length - linesBefore).toBe(5);
    expect(audited().slice(-2)).toMatchObject([
      { outcome: 'changed', adaptation: id, revisionBefore: revision, revisionAfter: revision + 1 },
      { outcome: 'unchanged', adaptation: id, revisionBefore: revision + 1, revisionAfter: revision + 1 },
    ]);
    await client.removePool('slow');
  });

  test('what cannot be is refused with what to change', async () => {
    const form = new FormData();
    form.append('image', new Blob(['no picture']), 'a.jpg');
    const bad = await send(`${url}/pools/mine`, { method: 'POST', body: form });
    expect([bad.status, bad.body.code]).toEqual([415, 'image-type-refused']);
    const one = await numbered(1);
    const into = (name: string) =>
      send(`${url}/pools/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'image/png' },
        body: new Blob([one]),
      });
    expect((await into('traffic')).body).toMatchObject({ code: 'conflict' });
    expect((await into('Capital')).body).toMatchObject({ status: 400, code: 'request-invalid' });
    expect((await send(`${url}/pools/none`)).status).toBe(404);
    expect((await post(url, { pool: 'none' })).status).toBe(404);
    expect((await post(url, { pools: 'x' })).body).toMatchObject({ code: 'request-invalid' });
    expect((await post(url, {}, '?dryRun=perhaps')).status).toBe(400);
    expect((await send(`${url}/adaptations/unknown`)).status).toBe(404);
    expect((await send(`${url}/adaptations/unknown`, { method: 'DELETE' })).status).toBe(404);
    expect((await send(`${url}/adaptations`, { method: 'PUT' })).status).toBe(405);
    await fill(client, 'large', 1000);
    const beyond = fill(client, 'larger', 2000);
    await expect(beyond).rejects.toMatchObject({ code: 'limit-reached' });
    await client.removePool('large');
  });

  test('without a key that may change, nothing is pooled, adapted or undone', async () => {
    for (const [method, path] of [
      ['POST', '/pools/mine'],
      ['DELETE', '/pools/mine'],
      ['POST', '/adaptations?dryRun=true'],
      ['POST', '/adaptations'],
      ['DELETE', '/adaptations/x'],
    ])
      expect((await sendAsIs(url + path, { method })).status).toBe(401);
  });
});

describe('a server that learns from its traffic', async () => {
  const settings = { learnFromTraffic: 110, adminKeys: [testKey] };
  const { url, models, metricsUrl } = await startTestServer({ bundle: () => bundle, settings });
  const client = new UnseenClient({ url, key: serverKey });

  test('keeps a bounded sample of what it classifies, counts what it stands for, and answers as it would without it', async () => {
    const plain = await startTestServer({ bundle: () => bundle });
    for (let at = 0; at < 160; at += 10) {
      const pictures = await Promise.all(Array.from({ length: 10 }, (_, i) => numbered(at + i)));
      const answer = await client.classifyMany(pictures, { topK: 3 });
      if (at === 0) {
        const other = await new UnseenClient({ url: plain.url }).classifyMany(pictures, { topK: 3 });
        const shown = ({ pictures: all }: typeof answer, shownAs: (probability: number) => unknown) =>
          all.map((one) =>
            'predictions' in one ? one.predictions.map((top) => [top.class, shownAs(top.probability)]) : null,
          );
        // Batches of other sizes differ in the last bits.
        expect(shown(answer, (probability) => probability)).toEqual(
          shown(other, (probability) => expect.closeTo(probability, 4) as unknown),
        );
        expect(JSON.stringify(answer)).not.toContain('features');
      }
    }
    await expect
      .poll(async () => (await client.pools()).pools, { timeout: 15_000 })
      .toMatchObject([{ name: 'traffic', pictures: 110 }]);
    const { answered } = await client.pool('traffic');
    expect(answered.reduce((sum, { pictures }) => sum + pictures, 0)).toBe(110);
    // The sample may be full before the last pictures are counted.
    await expect
      .poll(async () => (await client.previewAdaptation()).changedAnswers.lastDay?.pictures, {
        timeout: 15_000,
      })
      .toBe(160);
    const { changedAnswers } = await client.previewAdaptation();
    expect(changedAnswers.lastDay!.changed).toBeGreaterThanOrEqual(changedAnswers.pictures);
    expect(models.current.classes.revision).toBe(0); // nothing happens by itself
  });

  test('its sample can be erased, and is said in the metrics', async () => {
    await client.removePool('traffic');
    await sleep(10);
    expect((await client.pools()).pools).toEqual([]);
    const page = await (await fetch(metricsUrl)).text();
    expect(page).toMatch(/unseen_pool_rows\{pool="traffic"\}/);
    expect(page).toMatch(/unseen_adaptation_timestamp_seconds 0/);
  });
});
