/** The editor of a class, as somebody uses it who does not know the API: in a real browser, on a real server with the demonstration bundle. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { testKey } from '../../support/test-server.js';
import { alert, editor, setAttributes, waitForSaved } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
/** A screen of 1280 x 900 at 200 % zoom. */
const zoomed = { width: 640, height: 450 };

describe.skipIf(!server)('the editor of a class', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  let page: OpenedPage;
  beforeEach(async () => {
    for (const { name } of (await client.classes({ kind: 'runtime' })).classes)
      await client.removeClass(name, '*');
    await client.createClass({ name: 'Japan', attributes: { 'colour::red': 0.5, 'colour::white': 0.5 } });
    page = await openPage(`${server!.url}/#key=${testKey}`);
  });
  afterEach(() => closePage(page));

  const add = () => page.getByRole('button', { name: 'Add a class' }).click();
  const name = () => editor(page).getByLabel('Name');
  const filter = () => editor(page).getByLabel('Filter attributes');
  const expectation = () => editor(page).getByRole('status', { name: 'Expectation' });
  const focused = () => page.evaluate<string>('document.activeElement.outerHTML.slice(0, 300)');
  const tryOut = async (): Promise<void> => {
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await expectation().waitFor();
  };

  test('opens with the focus where one begins to write', async () => {
    await add();
    await page.keyboard.type('Written at once');
    expect(await name().inputValue()).toBe('Written at once');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit: Japan' }).click();
    await editor(page).getByRole('heading', { name: 'Edit Japan' }).waitFor();
    expect(await focused()).toContain('Filter attributes'); // its name stays
  });

  test('a class is added by keys alone: described, tried out, saved', async () => {
    const opener = page.getByRole('button', { name: 'Add a class' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('By keys');
    await filter().focus();
    await page.keyboard.type('colour::red');
    const slider = editor(page).getByRole('slider', { name: 'red', exact: true });
    await slider.waitFor();
    const isAtSlider = () => slider.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 5 && !(await isAtSlider()); presses++) await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await editor(page).getByText('1 change', { exact: true }).waitFor();
    await name().focus();
    await page.keyboard.press('Enter');
    await expectation().waitFor();
    await page.keyboard.press('Enter');
    await waitForSaved(page, /^By keys is saved/);
    expect((await client.class('By keys')).attributes['colour::red']).toBe(1);
    await expect.poll(() => opener.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  test('says what is wrong in sentences, without words of the API', async () => {
    await add();
    await name().fill('Japan');
    await tryOut();
    await editor(page).locator('button[type=submit]').click();
    const problem = alert(editor(page), 'It exists already, with other attributes');
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(
      /A class "Japan" exists with other attributes\. Choose another name\.Edit Japan instead$/,
    );
    await name().fill('Far away');
    await setAttributes(page, new Map([['colour::yellow', 90000]]));
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    const outside = alert(editor(page), 'These attributes do not fit the model');
    await outside.waitFor();
    const words = (await outside.textContent())!;
    expect(words).toContain('Colour yellow: 90000 lies outside the range that training saw, 0 to 0.788.');
    expect(words).not.toMatch(/\/attributes|::|\d\.\d{5}/);
  });

  test('a class of which little is known starts from nothing known: only what is set is given', async () => {
    await add();
    await name().fill('Little known');
    await editor(page)
      .getByLabel('Start from')
      .selectOption({ label: 'Nothing is known: what you leave alone is filled in' });
    await filter().fill('colour::red');
    await editor(page).getByText('not known', { exact: true }).first().waitFor();
    await setAttributes(page, new Map([['colour::red', 0.5]]));
    await tryOut();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /^Little known is saved/);
    expect((await client.class('Little known')).attributes).toEqual({ 'colour::red': 0.5 });
  });

  test('a class that could not be read is read again, and never replaced by what the sliders began with', async () => {
    const { attributes } = await client.class('Japan');
    await page.route('**/classes/Japan', (route) => route.abort());
    await page.getByRole('button', { name: 'Edit: Japan' }).click();
    await editor(page).getByRole('alert').waitFor();
    await page.unroute('**/classes/Japan');
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await filter().fill('colour::red');
    await expect.poll(() => editor(page).getByLabel('colour red, exactly').inputValue()).toBe('0.5');
    expect(await expectation().count()).toBe(0);
    await tryOut();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /^Japan is saved/);
    expect((await client.class('Japan')).attributes).toEqual(attributes);
  });

  test('a slider says its ends and what its value means, and moves without float noise', async () => {
    await add();
    await name().fill('Sliders');
    await editor(page).getByLabel('Start from').selectOption('Mike');
    await filter().fill('colour::yellow');
    const row = editor(page).locator('.attribute').filter({ hasText: 'yellow' });
    await expect.poll(() => row.locator('.attribute-ends').textContent()).toBe('0lowest0.788');
    const exactly = editor(page).getByLabel('colour yellow, exactly');
    await exactly.fill('0.0856');
    await exactly.press('Tab');
    await expect
      .poll(async () => (await row.locator('.attribute-meaning').textContent())!.replace('\u00a0', ' '))
      .toBe('low, 9 %');
    const slider = row.getByRole('slider');
    // What the attribute is stands there to be read, without a mouse that could hover.
    expect(await row.locator('.attribute-note').textContent()).toBe('share of the cloth that is yellow');
    expect(await slider.getAttribute('aria-describedby')).toBe(
      await row.locator('.attribute-note').getAttribute('id'),
    );
    expect((await slider.getAttribute('aria-valuetext'))!.replace('\u00a0', ' ')).toBe(
      '0.0856, low, 9 %; classes in training have 0 to 0.788',
    );
    for (let press = 0; press < 7; press++) {
      await slider.press('ArrowRight');
      expect(await slider.inputValue()).toMatch(/^0\.\d{1,3}$/);
    }
    for (let press = 0; press < 3; press++) await exactly.press('ArrowUp');
    expect(await exactly.inputValue()).toMatch(/^0\.\d{1,3}$/);
  });

  test('a draft outlives a reload of the page, and one that was cancelled does not come back', async () => {
    await add();
    await name().fill('Half done');
    await editor(page).getByLabel('Start from').selectOption('Mike');
    await setAttributes(page, new Map([['colour::red', 0.25]]));
    await page.reload();
    await expect.poll(() => name().inputValue()).toBe('Half done');
    await expect
      .poll(() => page.getByRole('status', { name: 'Done' }).textContent())
      .toBe('Your draft of Half done is back.');
    await editor(page).getByText('1 change', { exact: true }).waitFor();
    await filter().fill('colour::red');
    expect(await editor(page).getByLabel('colour red, exactly').inputValue()).toBe('0.25');
    await editor(page)
      .getByRole('button', { name: /^colour red: back to 0$/ })
      .click(); // as Mike has it
    await editor(page).getByText('0 changes').waitFor();
    await tryOut();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('Server ready').waitFor();
    await page.getByRole('button', { name: 'Edit: Japan' }).waitFor();
    expect(await editor(page).count()).toBe(0);
    expect(await page.evaluate('sessionStorage.getItem("unseen-draft")')).toBeNull();
  });

  test('a reloaded draft of an edited class is still held against the state that it was read in', async () => {
    await page.getByRole('button', { name: 'Edit: Japan' }).click();
    await setAttributes(page, new Map([['colour::red', 0.75]]));
    await client.replaceClass({ name: 'Japan', attributes: { 'colour::red': 0.1 } }, '*');
    await page.reload();
    await editor(page).getByRole('heading', { name: 'Edit Japan' }).waitFor();
    await tryOut();
    await editor(page).locator('button[type=submit]').click();
    await alert(editor(page), 'Somebody else has changed it meanwhile').waitFor();
  });

  test('pictures that are refused when the attributes are stored can be tried again', async () => {
    await page.getByRole('button', { name: 'Edit: Japan' }).click();
    await setAttributes(page, new Map([['colour::red', 0.75]]));
    await editor(page).getByLabel('Add pictures of it').setInputFiles('server/playground/samples/Lima.jpg');
    await editor(page).getByText('1 picture of it. The values below stay as they are.').waitFor();
    await tryOut();
    const problem = { title: 'Full', status: 409, code: 'limit-reached', detail: 'Too many.' };
    const refused = { status: 409, contentType: 'application/problem+json', body: JSON.stringify(problem) };
    await page.route('**/classes/Japan/examples', (route) => route.fulfill(refused), { times: 1 });
    const save = editor(page).locator('button[type=submit]');
    await save.click();
    await alert(editor(page), 'The limit of the server is reached').waitFor();
    await save.click();
    await waitForSaved(page, /^Japan is saved/);
    const { attributes, examples } = await client.class('Japan');
    expect([attributes['colour::red'], examples]).toEqual([0.75, 1]);
  });

  test('a file that is no picture is named, without a broken picture', async () => {
    await add();
    await editor(page)
      .getByLabel('Add pictures of it')
      .setInputFiles([{ name: 'notes.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') }]);
    await editor(page).getByText('notes.jpg is not a picture').waitFor();
    expect(await editor(page).locator('img').count()).toBe(0);
  });

  test('keeps its room at 200 % zoom, also with what was expected below it', async () => {
    await page.setViewportSize(zoomed);
    await add();
    await name().fill('Zoomed');
    await tryOut();
    const shown = (await expectation().boundingBox())!;
    expect([shown.y < zoomed.height, shown.y + shown.height > 0]).toEqual([true, true]);
    await filter().fill('colour');
    await editor(page).getByRole('slider').first().scrollIntoViewIfNeeded();
    // What covers the sliders when they are scrolled to: the filter and the line of buttons, no more than that.
    const covered = await page.evaluate(`(() => {
      const parts = [...document.querySelectorAll('dialog.editor form, .editor-body')];
      const scrolls = parts.find((one) => getComputedStyle(one).overflowY === 'auto');
      const { top, bottom } = scrolls.getBoundingClientRect();
      const stays = [...scrolls.querySelectorAll('*')].filter((one) => getComputedStyle(one).position === 'sticky');
      const room = Math.min(bottom, innerHeight) - Math.max(top, 0);
      return 1 - (room - stays.reduce((sum, one) => sum + one.offsetHeight, 0)) / innerHeight;
    })()`);
    expect(covered).toBeLessThan(0.4);
  });
});
