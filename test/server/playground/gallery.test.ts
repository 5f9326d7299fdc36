/** Many pictures at once in a real browser: grid, order, filter, table; and the question as code. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../core/project-folder.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { temporaryFolder } from '../../support/folders.js';
import { testKey } from '../../support/test-server.js';
import { chooseSample, expectVerdict } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
const samples = ['Lima', 'Victor', 'cross-black-yellow', 'Mike'];
const files = samples.map((name) => ({
  name: name === 'Lima' ? '=Lima, 2.jpg' : `${name}.jpg`,
  mimeType: 'image/jpeg',
  buffer: readFileSync(`server/playground/samples/${name}.jpg`),
}));

describe.skipIf(!server)('many pictures', () => {
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/`);
    await page
      .locator('#file')
      .setInputFiles([
        ...files,
        { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
      ]);
    await expect.poll(() => page.getByRole('status', { name: 'Answered' }).textContent()).toBe('5 pictures');
  });
  afterEach(() => closePage(page));

  const cards = () => page.getByRole('list', { name: 'Pictures' }).getByRole('listitem');
  const classes = () => page.locator('.card-class').allTextContents();

  test('become a grid of answers, with what is wrong where there is none', async () => {
    expect(await classes()).toEqual([
      ...['Lima', 'Victor', 'cross-black-yellow', 'Mike'],
      'This kind of file cannot be read',
    ]);
    expect(await cards().getByRole('img').count()).toBe(0); // decoration: the button has its words
    expect(await page.locator('.card img').count()).toBe(4);
  });

  test('come into sight as soon as they are given', async () => {
    const { y, height } = (await cards().first().boundingBox())!;
    expect([y >= 0, y + height <= 900]).toEqual([true, true]);
  });

  test('are sorted and filtered', async () => {
    await page.getByLabel('Order of the pictures').selectOption('most confident first');
    const shares = await page.locator('.card-share').allTextContents();
    const values = shares.map((text) => Number(/\d+/.exec(text)![0]));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    await page.getByLabel('Order of the pictures').selectOption('by class');
    expect((await classes()).slice(0, 4)).toEqual(['cross-black-yellow', 'Lima', 'Mike', 'Victor']);
    await page.getByLabel('Filter pictures').fill('vic');
    expect(await classes()).toEqual(['Victor']);
    await page.getByLabel('Filter pictures').fill('');
    await page.getByLabel('Which answers are shown').selectOption('seen classes');
    expect(await classes()).toEqual(['cross-black-yellow']);
    await page.getByLabel('Which answers are shown').selectOption('no answer');
    expect(await classes()).toEqual(['This kind of file cannot be read']);
    await page.getByLabel('Which answers are shown').selectOption('all answers');
    await page.getByLabel('Filter pictures').fill('nothing like it');
    expect(await page.getByText('No pictures match').isVisible()).toBe(true);
  });

  test('are saved as a table that spreadsheets read, of what is shown and in its order', async () => {
    await page.getByLabel('Order of the pictures').selectOption('by class');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('answers.csv');
    const text = readFileSync(await download.path(), 'utf8');
    const rows: string[][] = parse(text, { bom: true });
    expect(rows[0].slice(0, 5)).toEqual(['file', 'class', 'probability', 'kind', 'class 2']);
    expect(rows.slice(1, 5).map(([, name]) => name)).toEqual([
      'cross-black-yellow',
      'Lima',
      'Mike',
      'Victor',
    ]);
    expect(rows[2][0]).toBe("'=Lima, 2.jpg");
    const verdicts = rows.slice(1).map((row) => row[rows[0].indexOf('verdict')]);
    expect(verdicts).toEqual(['known', 'known', 'known', 'known', '']);
    expect(rows.slice(1, 5).every((row) => /^0(\.\d+)?$/.test(row[rows[0].indexOf('novelty')]))).toBe(true);
    expect(rows[5][rows[0].indexOf('problem')]).toContain('image-type-refused');
  });

  test('one that is chosen, by keyboard too, has its whole answer above', async () => {
    await cards().nth(1).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expectVerdict(page, /^Victor/);
    await page.getByRole('button', { name: 'Remove all' }).click();
    await expect.poll(() => page.getByRole('heading', { name: 'Pictures', exact: true }).count()).toBe(0);
  });
});

describe.skipIf(!server)('an answer', () => {
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/`);
  });
  afterEach(() => closePage(page));

  test('is there before anything is clicked', async () => {
    await expectVerdict(page, /^Mike/);
  });

  const copied = async (name: string): Promise<string> => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name }).click();
    await expect
      .poll(() => page.getByRole('status', { name: 'Done' }).textContent())
      .toContain(name.slice(8));
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  // Not spawnSync: the server answers in this process.
  const run = promisify(execFile);
  const runCurl = async (curl: string): Promise<{ class: string }[]> => {
    const line = `cd server/playground/samples && ${curl} -s --max-time 20`;
    const { stdout } = await run('bash', ['-c', line]);
    return (JSON.parse(stdout) as { predictions: { class: string }[] }).predictions;
  };

  test('is copied as curl and as TypeScript, which give the same answer', async () => {
    await chooseSample(page, 'Victor');
    const predictions = await runCurl(await copied('Copy as curl'));
    expect(predictions[0].class).toBe('Victor');
    expect(predictions).toHaveLength(6);
    const { stdout } = await runTypeScript(await copied('Copy as TypeScript'));
    expect(stdout).toContain("class: 'Victor'");
  });

  test('is copied as it was asked for: with the balance, and the classes that may answer', async () => {
    await chooseSample(page, 'Victor');
    await page.getByText('Which classes may answer').click();
    for (const name of ['Mike', 'cross-black-yellow']) {
      await page.getByLabel('Only these classes').fill(name);
      await page.keyboard.press('Enter');
    }
    await expectVerdict(page, /^Mike/);
    await page.getByRole('slider', { name: /^Balance/ }).press('Home');
    await page.getByRole('note').waitFor();
    const curl = await copied('Copy as curl');
    expect(curl).toMatch(/unseenBias=-?\d/);
    expect((await runCurl(curl)).map((one) => one.class).sort()).toEqual(['Mike', 'cross-black-yellow']);
    const code = await copied('Copy as TypeScript');
    expect(code).toContain('classes: ["Mike","cross-black-yellow"]');
    expect((await runTypeScript(code)).stdout).not.toContain("class: 'Victor'");
  });

  test('is copied without the key that the page holds; curl takes it from the environment', async () => {
    await page.goto(`${server!.url}/#key=${testKey}`);
    await page.reload(); // only what comes after # is another
    await expectVerdict(page, /^Mike/);
    const curl = await copied('Copy as curl');
    expect(curl).not.toContain(testKey);
    expect((await runCurl(curl))[0].class).toBe('Mike');
    const { stdout } = await run('bash', ['-c', `UNSEEN_KEY='a b'; printf '%s|' ${curl.slice(4)}`]);
    expect(stdout).toContain('|-H|Authorization: Bearer a b|');
  });

  /** As a program that has the client installed. */
  async function runTypeScript(code: string): Promise<{ stdout: string }> {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(projectFolder(), join(folder, 'node_modules/unseen'));
    writeFileSync(
      join(folder, 'ask.mjs'),
      code.replace('readFile("', 'readFile("server/playground/samples/'),
    );
    return run(process.execPath, [join(folder, 'ask.mjs')], { timeout: 60_000 });
  }
});
