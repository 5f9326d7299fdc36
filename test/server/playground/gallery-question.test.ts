/** The grid asks what the page asks, in a real browser: balance, classes that may answer, and classes as they are now. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { attributeNames, attributesOf } from '../../../demo/flags/attributes.js';
import { newcomerFlag } from '../../../demo/flags/newcomer.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { testKey } from '../../support/test-server.js';
import { editor, expectVerdict } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
const names = ['Lima', 'Victor', 'Rising sun'];
const files = names.map((name) => ({
  name: `${name}.jpg`,
  mimeType: 'image/jpeg',
  buffer: readFileSync(`server/playground/samples/${name.replace(' ', '-')}.jpg`),
}));

describe.skipIf(!server)('the grid', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/`);
    await expectVerdict(page, /^Mike/);
    await page.locator('#file').setInputFiles(files);
    await allAnswered();
    await page.getByText('Which classes may answer').click();
  });
  afterEach(() => closePage(page));

  const allAnswered = () =>
    expect.poll(() => page.getByRole('status', { name: 'Answered' }).textContent()).toBe('3 pictures');
  const classes = () => page.locator('.card-class').allTextContents();
  const shares = async () =>
    (await page.locator('.card-share').allTextContents()).map((text) => /<?\d+\s%/.exec(text)![0]);
  const table = async (): Promise<Record<string, string>[]> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    return parse(readFileSync(await download.path(), 'utf8'), { bom: true, columns: true });
  };
  const letOnly = async (...allowed: string[]): Promise<void> => {
    for (const name of allowed) {
      await page.getByLabel('Only these classes').fill(name);
      await page.keyboard.press('Enter');
    }
  };
  /** The answer that each card opens is the one that it shows. */
  const expectSameAnswers = async (): Promise<void> => {
    const [shownClasses, shownShares] = [await classes(), await shares()];
    for (const [i, name] of names.entries()) {
      await page.locator('.card').nth(i).click();
      await page.getByRole('img', { name: `Chosen: ${name}.jpg` }).waitFor();
      await expectVerdict(page, new RegExp(`^${shownClasses[i]} ${shownShares[i]}`));
    }
  };

  test('asks again when other classes may answer, and so does its table', async () => {
    const before = [await classes(), await shares()];
    await letOnly('Mike', 'Victor');
    await expect.poll(classes).not.toContain('Lima');
    await allAnswered();
    expect(await classes()).toContain('Victor');
    await page.locator('.gallery').getByText('Only 2 classes may answer.').waitFor();
    await expectSameAnswers();
    for (const row of await table())
      expect([[row.class, row['class 2']].sort(), row['class 3']]).toEqual([['Mike', 'Victor'], '']);
    await page.getByRole('button', { name: 'Allow all classes' }).click();
    await expect.poll(classes).toContain('Lima');
    await allAnswered();
    expect([await classes(), await shares()]).toEqual(before);
  });

  test('asks again when the balance is moved', async () => {
    const before = [await classes(), await shares()];
    await page.getByRole('slider', { name: /^Balance/ }).press('Home');
    await expect.poll(async () => [await classes(), await shares()]).not.toEqual(before);
    await allAnswered();
    await expectSameAnswers();
    await page.getByRole('button', { name: 'Reset the balance' }).click();
    await expect.poll(async () => [await classes(), await shares()]).toEqual(before);
  });

  test('says where no class is likely enough, keeps all probabilities in its table, and a class can be described', async () => {
    await letOnly('Mike', 'Victor', 'Lima');
    await expect.poll(classes).not.toContain('Rising sun');
    await page.getByLabel('Minimum probability, in percent').fill('99');
    await page.getByLabel('Minimum probability, in percent').press('Tab');
    await expect.poll(classes).toContain('No class is likely enough');
    await allAnswered();
    for (const order of ['by class', 'most confident first', 'in the order added'])
      await page.getByLabel('Order of the pictures').selectOption(order);
    await page.getByLabel('Filter pictures').fill('rising');
    await page.getByLabel('Which answers are shown').selectOption('seen classes');
    await page.getByText('No pictures match').waitFor();
    await page.getByLabel('Which answers are shown').selectOption('all answers');
    await page.getByLabel('Filter pictures').fill('');
    for (const row of await table()) expect(row.class).not.toBe('');
    const unlikely = (await classes()).indexOf('No class is likely enough');
    await page.locator('.card').nth(unlikely).click();
    await expectVerdict(page, /^No class is likely enough/);
    await page.getByRole('button', { name: 'None of these? Describe its class' }).click();
    await editor(page).getByRole('heading', { name: 'Add a class' }).waitFor();
  });

  test('a class that may answer and is gone is not the end: all may answer again', async () => {
    const values = attributesOf(newcomerFlag).map((value, i) => [attributeNames[i], value] as const);
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(values) });
    await page.getByRole('button', { name: 'Edit: Rising sun' }).waitFor();
    await letOnly('Rising sun');
    await expect.poll(classes).toEqual(['Rising sun', 'Rising sun', 'Rising sun']);
    await client.removeClass('Rising sun', '*');
    await expect.poll(() => page.locator('.card-share').count(), { timeout: 20_000 }).toBe(0);
    await page.locator('.card').first().click();
    await page.locator('.answer-panel').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Allow all classes' }).click();
    await expect.poll(classes).toContain('Victor');
    await expectVerdict(page, /^Lima/);
  }, 60_000);

  test('asks again when classes are added, changed or removed, by whomever', async () => {
    expect((await classes())[2]).not.toBe('Rising sun');
    const values = attributesOf(newcomerFlag).map((value, i) => [attributeNames[i], value] as const);
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(values) });
    await expect.poll(async () => (await classes())[2], { timeout: 20_000 }).toBe('Rising sun');
    await page.locator('.card').nth(2).click();
    await expectVerdict(page, /^Rising sun/);
    await client.removeClass('Rising sun', '*');
    await expect.poll(async () => (await classes())[2], { timeout: 20_000 }).not.toBe('Rising sun');
  }, 60_000);
});
