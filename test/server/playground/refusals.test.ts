/** What the page says when the server refuses, is away, or wants a key: a real server with a small network. */
import { afterEach, describe, expect, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import type { ServerConfiguration } from '../../../server/configuration.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered, truncatedJpeg } from '../../support/pictures.js';
import { startTestServer, testKey, type TestServer } from '../../support/test-server.js';
import { alert, editor, predictions, waitForSaved } from './page.js';

describe.skipIf(!hasBrowser)('the playground', async () => {
  const { bundle } = hasBrowser ? await trainSmallBundle(temporaryFolder()) : { bundle: null };
  const picture = await numbered(1);
  const server = (settings: Partial<ServerConfiguration> = {}): Promise<TestServer> =>
    startTestServer({ settings, bundle: () => bundle! });
  let page: OpenedPage;
  const visit = async (settings?: Partial<ServerConfiguration>): Promise<TestServer> => {
    const started = await server(settings);
    page = await openPage(`${started.url}/`);
    return started;
  };
  const show = (buffer: Buffer, name = 'picture.png', mimeType = 'image/png') =>
    page.locator('#file').setInputFiles({ name, mimeType, buffer });
  afterEach(() => closePage(page));

  test('with another bundle no flags are offered, and attributes without families are one group', async () => {
    await visit();
    await show(picture);
    await predictions(page).waitFor();
    expect(await page.getByText('Or a signal flag').count()).toBe(0);
    await page.getByRole('button', { name: 'Add a class' }).click();
    await expect.poll(() => editor(page).locator('summary').count()).toBe(1);
  });

  test('a file that is no picture, and a picture that is damaged', async () => {
    await visit();
    await show(Buffer.from('hello'), 'notes.txt', 'text/plain');
    await alert(page, 'This kind of file cannot be read').waitFor();
    await page.getByText('This file cannot be shown.').waitFor();
    expect(await page.locator('.picture-panel img').count()).toBe(0); // no broken picture
    await show(await truncatedJpeg(), 'half.jpg', 'image/jpeg');
    await alert(page, 'This picture cannot be used').waitFor();
    await show(picture);
    await predictions(page).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  });

  test('a picture over the limit', async () => {
    await visit({ bodyMegabytes: 0.001 });
    await show(await numbered(1, 200));
    await alert(page, 'This is too large').waitFor();
  });

  test('too many questions: when to come back is counted down', async () => {
    await visit({ requestsPerMinute: 7 }); // the page itself takes some of them
    await expect
      .poll(async () => {
        await show(picture);
        return alert(page, 'Too many requests').count();
      })
      .toBe(1);
    const again = page.getByRole('button', { name: /^Try again in \d+ s$/ });
    expect(await again.isDisabled()).toBe(true);
  });

  test('no answer in time', async () => {
    const { models } = await visit({ deadlineSeconds: 0.05 });
    await expect.poll(() => models.current.inference.state.workersReady).toBe(1);
    await show(await numbered(3, 6000)); // takes longer than that to decode
    await alert(page, 'The answer took too long').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  test('a server that went away, and came to be about to stop before', async () => {
    const started = await visit();
    await page.getByText('Server ready').waitFor();
    const stopped = started.stop(6);
    await alert(page, 'the server is about to stop').waitFor();
    await stopped;
    await alert(page, 'The server cannot be reached').waitFor();
    await show(picture);
    await page.locator('.answer-panel').getByText('The server cannot be reached').waitFor();
    await page.getByText('Server unreachable').waitFor();
  });

  test('what could not be answered while the server was away is answered when it is back, by itself', async () => {
    const started = await visit();
    await page.getByText('Server ready').waitFor();
    await started.stop(0);
    await show(picture);
    await page.locator('.answer-panel').getByText('The server cannot be reached').waitFor();
    await page
      .locator('#file')
      .setInputFiles(
        [1, 2].map((number) => ({ name: `${number}.png`, mimeType: 'image/png', buffer: picture })),
      );
    await expect
      .poll(() => page.locator('.card-class').allTextContents())
      .toEqual(['The server cannot be reached', 'The server cannot be reached']);
    await server({ port: Number(new URL(started.url).port) });
    await predictions(page).waitFor();
    await expect.poll(() => page.locator('.card-share').count()).toBe(2);
    await page.getByText('Server ready').waitFor();
  });

  test('the admin key is asked for when something is changed, tried, and kept in the page only', async () => {
    await visit({ adminKeys: ['boss-of-the-tests-1'] });
    await show(picture);
    await predictions(page).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Key' });
    const answer = async (key: string): Promise<void> => {
      await dialog.getByLabel('Key').fill(key);
      await dialog.getByRole('button', { name: 'Continue' }).click();
    };
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill('New');
    expect(await dialog.count()).toBe(0); // so far nothing was changed
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await dialog.getByText('The server asks for a key').waitFor();
    await answer('wrong');
    await dialog.getByText('This key was rejected').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await alert(editor(page), 'This is not allowed').waitFor();
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await answer('boss-of-the-tests-1');
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /^New is saved/);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).toBe('[{},{},""]');
    await page.reload();
    await page.getByRole('button', { name: 'Remove: New' }).click();
    await page.getByRole('dialog', { name: 'Remove New' }).getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('The server asks for a key').waitFor();
  });

  test('the link that brings the key needs no typing, keeps it out of the address, and outlives a reload', async () => {
    const { url } = await server();
    page = await openPage(`${url}/#key=${testKey}`);
    await page.getByText('Server ready').waitFor();
    expect(page.url()).toBe(`${url}/`);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.reload();
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill('Linked');
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /^Linked is saved/);
    expect(await page.getByRole('dialog', { name: 'Key' }).count()).toBe(0);
    expect(requested.join(' ')).not.toContain(testKey);
    const visitor = await openPage(`${url}/`); // who merely reaches the page has no key
    expect(await visitor.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
    expect(await visitor.content()).not.toContain(testKey);
    await closePage(visitor);
  });

  test('a link with a key that is no longer known asks for another, and forgets it', async () => {
    const { url } = await server();
    page = await openPage(`${url}/#key=a-key-of-another-server`);
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill('New');
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Key' });
    await dialog.getByText('This key was rejected').waitFor();
    await dialog.getByLabel('Key').fill(testKey);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  });

  test('a server that wants a key for everything is told one once', async () => {
    await visit({ apiKeys: ['guest-of-the-tests-1'], adminKeys: ['boss-of-the-tests-1'] });
    const dialog = page.getByRole('dialog', { name: 'Key' });
    await dialog.getByLabel('Key').fill('guest-of-the-tests-1');
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Use as start: / })
      .first()
      .waitFor();
    await show(picture);
    await predictions(page).waitFor();
    expect(await dialog.count()).toBe(0);
  });
});
