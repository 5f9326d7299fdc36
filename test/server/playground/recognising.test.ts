/** Recognising pictures in a real browser, on a real server with the demonstration bundle. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { chooseSample, expectVerdict, predictions, shownPredictions } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;
const sampleFile = (name: string): string => `server/playground/samples/${name}.jpg`;

describe.skipIf(!server)('the playground', () => {
  let page: OpenedPage;
  beforeEach(async () => {
    page = await openPage(`${server!.url}/`);
  });
  afterEach(() => closePage(page));

  test('a bundled flag is read: likeliest classes, seen and unseen told apart, and said to listeners', async () => {
    await chooseSample(page, 'Mike');
    await expectVerdict(page, /^Mike \d+\s%unseen: /);
    const shown = await shownPredictions(page);
    expect(shown).toHaveLength(6);
    expect(shown[0]).toMatchObject({ name: 'Mike', kind: 'unseen' });
    expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set(['seen', 'unseen']));
    const shares = shown.map(({ share }) => Number(share.replace(/[^\d]/g, '')));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    const said = page.getByRole('status', { name: 'Answer' });
    await expect.poll(() => said.textContent()).toMatch(/^Mike, unseen, \d+\s%$/);
    await chooseSample(page, 'cross black yellow');
    await expectVerdict(page, /^cross-black-yellow \d+\s%seen: /);
  });

  test('it says why: what was read from the picture, and what speaks for and against each class', async () => {
    await chooseSample(page, 'Mike');
    const why = page.getByRole('region', { name: 'Why Mike?' });
    expect(await why.textContent()).toMatch(/Speaks for it.*layout saltire.*Speaks against it/);
    const read = page.getByRole('region', { name: 'Read from the picture' });
    expect(await read.getByRole('listitem').count()).toBe(8);
    await read.getByRole('button', { name: 'All 74' }).click();
    expect(await read.getByRole('listitem').count()).toBe(74);
    await predictions(page).getByRole('button', { name: 'Victor' }).click();
    await page.getByRole('region', { name: 'Why Victor?' }).waitFor();
  });

  test('a picture is picked', async () => {
    await page.getByLabel('Choose a picture').setInputFiles(sampleFile('Lima'));
    await expectVerdict(page, /^Lima/);
    expect(await page.getByRole('img', { name: 'Chosen: Lima.jpg' }).isVisible()).toBe(true);
    await page.getByLabel('Another picture').setInputFiles(sampleFile('Victor'));
    await expectVerdict(page, /^Victor/);
  });

  test.each(['drop', 'paste'])('a picture is taken by %s, anywhere on the page', async (kind) => {
    const bytes = readFileSync(sampleFile('Whiskey')).toString('base64');
    await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${bytes}'), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'signal.jpg', { type: 'image/jpeg' }));
      const options = { bubbles: true, cancelable: true };
      document.querySelector('h1').dispatchEvent(
        '${kind}' === 'drop'
          ? new DragEvent('drop', { ...options, dataTransfer: transfer })
          : new ClipboardEvent('paste', { ...options, clipboardData: transfer }),
      );
    }`);
    await expectVerdict(page, /^Whiskey/);
  });

  test('moving the balance changes the answer, and there is a way back to the model’s own', async () => {
    await chooseSample(page, 'Mike');
    const slider = page.getByRole('slider', { name: 'Balance between seen and unseen classes' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('the model’s own');
    const usual = await shownPredictions(page);
    await slider.press('Home');
    await expectVerdict(page, /^saltire-\S+ \d+\s%seen: /);
    await slider.press('End');
    await expectVerdict(page, /^Mike \d+\s%unseen: /);
    expect(await shownPredictions(page)).not.toEqual(usual);
    await page.getByRole('button', { name: 'back to the model’s own' }).click();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('the model’s own');
    await expect.poll(() => shownPredictions(page)).toEqual(usual);
  });

  test('a balance that is moved is said beside every answer, and reset from there', async () => {
    await chooseSample(page, 'Mike');
    const note = page.getByRole('note');
    expect(await note.count()).toBe(0);
    const slider = page.getByRole('slider', { name: 'Balance between seen and unseen classes' });
    await slider.press('ArrowRight');
    expect(await slider.inputValue()).toMatch(/^-?\d+(\.\d{1,3})?$/); // no float noise
    await note.getByText('The balance is moved towards unseen classes').waitFor();
    await chooseSample(page, 'Victor');
    await slider.press('Home');
    await note.getByText('The balance is moved towards seen classes').waitFor();
    await note.getByRole('button', { name: 'Reset the balance' }).click();
    await expect.poll(() => note.count()).toBe(0);
    expect(await slider.getAttribute('aria-valuetext')).toBe('the model’s own');
  });

  test('the keyboard is enough', async () => {
    const sample = page.getByRole('button', { name: 'Juliett', exact: true });
    await sample.waitFor();
    const isThere = () => sample.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 12 && !(await isThere()); presses++) await page.keyboard.press('Tab');
    expect(await isThere()).toBe(true);
    await page.keyboard.press('Enter');
    await expectVerdict(page, /^Juliett/);
  });

  test('classes are searched by name and by kind', async () => {
    const panel = page.getByRole('region', { name: 'Classes' });
    const count = panel.getByRole('status');
    await expect.poll(() => count.textContent()).toBe('106 classes');
    await panel.getByLabel('Search classes').fill('SALTIRE');
    await expect.poll(() => count.textContent()).toBe('4 classes');
    await panel.getByRole('button', { name: 'unseen', exact: true }).click();
    await panel.getByText('No class has this name.').waitFor();
    await panel.getByLabel('Search classes').fill('');
    await expect.poll(() => count.textContent()).toBe('26 classes');
    expect(await panel.getByRole('listitem').count()).toBe(24);
    await panel.getByRole('button', { name: 'Show the other 2' }).click();
    expect(await panel.getByRole('listitem').count()).toBe(26);
  });

  test('it shows how the server is', async () => {
    const facts = page.getByRole('contentinfo', { name: 'Server' });
    await expect
      .poll(() => facts.textContent())
      .toMatch(
        /ready.*Runs oncpu.*Queue0 of 256.*Workers1 of 1.*Class revision0.*Modelsignal-flags [0-9a-f]{8}/,
      );
  });
});
