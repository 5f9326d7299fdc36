/** Adding, editing and removing classes in a real browser, on a real server with the demonstration bundle. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient, type DryRunResponse } from '../../../client/index.js';
import { attributeNames, attributesOf } from '../../../demo/flags/attributes.js';
import { newcomerFlag } from '../../../demo/flags/newcomer.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { testKey } from '../../support/test-server.js';
import {
  alert,
  chooseSample,
  editor,
  expectVerdict,
  setAttributes,
  shownPredictions,
  waitForSaved,
} from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
const newcomer = new Map(attributesOf(newcomerFlag).map((value, i) => [attributeNames[i], value]));

describe.skipIf(!server)('teaching the server', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  const listed = async (): Promise<string[]> =>
    (await client.classes({ kind: 'runtime' })).classes.map(({ name }) => name);
  let page: OpenedPage;
  beforeEach(async () => {
    for (const name of await listed()) await client.removeClass(name, '*');
    page = await openPage(`${server!.url}/#key=${testKey}`);
  });
  afterEach(() => closePage(page));

  const open = async (name: string, start: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill(name);
    await editor(page).getByLabel('Start from').selectOption(start);
  };
  const press = (name: string) => editor(page).getByRole('button', { name, exact: true }).click();
  const expectation = () => editor(page).getByRole('status', { name: 'Expectation' });

  test('a class is added by its attributes, beginning with another, and recognised at once', async () => {
    await chooseSample(page, 'Rising sun');
    const before = (await shownPredictions(page)).map(({ name }) => name);
    expect(before).not.toContain('Rising sun');
    await open('Rising sun', 'India');
    const india = await client.class('India');
    const different = new Map(
      [...newcomer].filter(([name, value]) => Math.abs(india.attributes[name] - value) > 1e-3),
    );
    await setAttributes(page, different);
    expect(await editor(page).getByText(`${different.size} changes`).count()).toBe(1);
    await press('Try it out');
    await expectation().waitFor();
    expect(await expectation().textContent()).toMatch(/Rising sun can be told apart.*Nearest by attributes/);
    expect(await listed()).toEqual([]); // nothing is stored before it is wanted
    await press('Save');
    await waitForSaved(page, /^Rising sun is saved\. The picture is now read as Rising sun, \d+\s%\.$/);
    await expectVerdict(page, /^Rising sun \d+\s%added: /);
    expect(await listed()).toEqual(['Rising sun']);
    await page.getByRole('button', { name: 'Edit: Rising sun' }).waitFor();
  });

  test('a class that cannot be told from another is warned of, and a change asks for another trial', async () => {
    await open('Second Mike', 'Mike');
    await press('Try it out');
    await expectation().waitFor();
    expect(await expectation().textContent()).toMatch(/^Second Mike would be confused with Mike/);
    expect(await editor(page).getByRole('button', { name: 'Save anyway' }).isVisible()).toBe(true);
    await setAttributes(page, new Map([['colour::red', 0.5]]));
    await expect.poll(() => expectation().count()).toBe(0);
    expect(await editor(page).getByRole('button', { name: 'Try it out' }).isVisible()).toBe(true);
  });

  test('a class of which held-out classes promise little is doubtful, whatever the model imagines', async () => {
    await page.route(/\/classes\?dryRun=true/, async (route) => {
      const response = await route.fetch();
      const { previews, ...rest } = (await response.json()) as DryRunResponse;
      const [preview] = previews;
      const json = { ...rest, previews: [{ ...preview, expected: 0.2, recognised: 0.95, confusedWith: [] }] };
      await route.fulfill({ response, json });
    });
    await open('Far', 'India');
    await press('Try it out');
    await expectation().waitFor();
    const words = await expectation().textContent();
    expect(words).toMatch(/^Far would mostly not be recognised.*About 20\s% of its pictures.*Make it differ/);
    expect(await editor(page).getByRole('button', { name: 'Save anyway' }).isVisible()).toBe(true);
  });

  test('sliders are grouped, filtered, moved by key and put back', async () => {
    await open('Anything', 'Mike');
    expect(await editor(page).locator('summary').count()).toBe(12);
    await editor(page).getByLabel('Filter attributes').fill('white colour');
    const slider = editor(page).getByRole('slider', { name: 'white' });
    await expect.poll(() => slider.count()).toBe(1);
    await slider.press('End');
    expect(await slider.inputValue()).toBe('1');
    await editor(page).getByLabel('Filter attributes').fill('');
    await editor(page).getByLabel('only changed').check();
    await expect.poll(() => editor(page).getByRole('slider').count()).toBe(1);
    await editor(page)
      .getByRole('button', { name: /^colour white: back to/ })
      .click();
    await editor(page).getByText('No attributes match.').waitFor();
  });

  test('values read from the picture are a start as well', async () => {
    await chooseSample(page, 'Rising sun');
    await page.getByRole('button', { name: 'None of these? Describe its class' }).click();
    await editor(page).getByLabel('Name').fill('Seen once');
    await editor(page).getByLabel('Start from').selectOption('What was read from the picture');
    await press('Try it out');
    await expectation().waitFor();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /read as Seen once/);
  });

  test('a class is edited', async () => {
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(newcomer) });
    await page.reload();
    await page.getByRole('button', { name: 'Edit: Rising sun' }).click();
    await setAttributes(page, new Map([['shape::swallowtail', 1]]));
    await press('Try it out');
    await expectation().waitFor();
    await editor(page).locator('button[type=submit]').click();
    await waitForSaved(page, /^Rising sun is saved/);
    expect((await client.class('Rising sun')).attributes['shape::swallowtail']).toBe(1);
  });

  test('a class that others changed meanwhile is not overwritten; it can be read again', async () => {
    const content = { name: 'Rising sun', attributes: Object.fromEntries(newcomer) };
    await client.createClass(content);
    await page.reload();
    await page.getByRole('button', { name: 'Edit: Rising sun' }).click();
    await setAttributes(page, new Map([['shape::swallowtail', 1]]));
    await client.replaceClass(
      { ...content, attributes: { ...content.attributes, 'colour::black': 0.5 } },
      '*',
    );
    await press('Try it out');
    await expectation().waitFor();
    await editor(page).locator('button[type=submit]').click();
    await alert(editor(page), 'Somebody else has changed it meanwhile').waitFor();
    await press('Reload it, without my changes');
    await editor(page).getByText('0 changes').waitFor();
    await editor(page).getByLabel('Filter attributes').fill('colour::black');
    await expect.poll(() => editor(page).getByLabel('colour black, exactly').inputValue()).toBe('0.5');
  });

  test('a name that is taken leads to the class that has it', async () => {
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(newcomer) });
    await page.reload();
    await open('Rising sun', 'Mike');
    await press('Try it out');
    await expectation().waitFor();
    await editor(page).locator('button[type=submit]').click();
    await alert(editor(page), 'It exists already, with other attributes').waitFor();
    await press('Edit Rising sun instead');
    await editor(page).getByRole('heading', { name: 'Edit Rising sun' }).waitFor();
  });

  test('a class is removed, and no longer recognised', async () => {
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(newcomer) });
    await page.reload();
    await chooseSample(page, 'Rising sun');
    await expectVerdict(page, /^Rising sun/);
    const remove = page.getByRole('button', { name: 'Remove: Rising sun' });
    await remove.click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape'); // nothing happens, and the focus is back where it was
    await expect.poll(() => remove.evaluate((element) => element.matches(':focus'))).toBe(true);
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await waitForSaved(page, /^Rising sun is removed\.$/);
    await expect
      .poll(async () => (await shownPredictions(page)).map(({ name }) => name))
      .not.toContain('Rising sun');
    expect(await listed()).toEqual([]);
  });

  test('what others add appears by itself', async () => {
    await client.createClass({ name: 'Rising sun', attributes: Object.fromEntries(newcomer) });
    await page.getByRole('button', { name: 'Edit: Rising sun' }).waitFor();
  });
});
