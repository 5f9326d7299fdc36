/** "This is in fact …", and pictures in the editor of a class: in a real browser, on a real server with the demonstration bundle. */
import axe from 'axe-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { letterFlags } from '../../../demo/flags/letters.js';
import { newcomerFlag } from '../../../demo/flags/newcomer.js';
import { renderFlag } from '../../../demo/flags/render.js';
import { Random } from '../../../core/random.js';
import { closePage, hasBrowser, openPage, type OpenedPage } from '../../support/browser.js';
import { startDemoServer } from '../../support/demo-server.js';
import { testKey } from '../../support/test-server.js';
import { alert, chooseSample, editor, expectVerdict, waitForSaved } from './page.js';

const server = hasBrowser ? await startDemoServer() : null;

async function drawn(count: number): Promise<{ name: string; mimeType: string; buffer: Buffer }[]> {
  const random = Random.stream(5, 'pictures of a class');
  const files = [];
  for (let i = 0; i < count; i++)
    files.push({
      name: `sun-${i}.jpg`,
      mimeType: 'image/jpeg',
      buffer: await renderFlag(newcomerFlag, random),
    });
  return files;
}

async function violations(page: OpenedPage): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate<axe.AxeResults>('axe.run()');
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.skipIf(!server)('correcting an answer', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  let page: OpenedPage;
  beforeEach(async () => {
    const { classes } = await client.classes({ limit: 1000 });
    for (const { name, runtime, examples } of classes) {
      if (runtime) await client.removeClass(name, '*');
      else if (examples > 0) await client.removeExamples(name);
    }
    page = await openPage(`${server!.url}/#key=${testKey}`);
  });
  afterEach(() => closePage(page));

  const field = () => page.getByLabel('This is in fact');
  const outcome = () => page.getByRole('status', { name: 'Before and after' });

  test('adds the picture to a class that is known, by keys alone, shows both answers, and can be taken back', async () => {
    await chooseSample(page, 'Mike');
    const before = (await page.locator('.verdict-share').textContent())!;
    await field().focus();
    await page.keyboard.type('Victor');
    await page.getByRole('button', { name: 'Add as an example' }).waitFor();
    await page.keyboard.press('Enter');
    await outcome().getByText('Victor has this picture now.').waitFor();
    const words = (await outcome().textContent())!;
    expect(words).toContain(`BeforeMike ${before}`);
    expect(words).toMatch(/Now(Victor \d\d+\s%|.*; Victor \d\d+\s%)/); // it was a few in a hundred before
    expect((await client.class('Victor')).examples).toBe(1);
    await page.getByText('1 picture', { exact: true }).first().waitFor(); // in the list of classes
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect.poll(async () => (await client.class('Victor')).examples).toBe(0);
    await expect.poll(() => outcome().textContent()).toBe('');
    await expectVerdict(page, new RegExp(`^Mike ${before}`));
  });

  test('makes a new class from the picture alone, and says what it is known by', async () => {
    await chooseSample(page, 'Rising sun');
    await field().fill('Hinomaru');
    await page.getByRole('button', { name: 'Add as a new class' }).click();
    await expectVerdict(page, /^Hinomaru \d+\s%added: /);
    expect(await outcome().textContent()).toMatch(/Before.*not among the first 6Now\s*Hinomaru \d+/);
    const known = await client.class('Hinomaru');
    expect([known.examples, known.attributes]).toEqual([1, {}]);
    await page.getByText('Known by 1 picture.').waitFor();
    await chooseSample(page, 'Mike');
    await expect.poll(() => outcome().textContent()).toBe(''); // it was said of another picture
    await page.getByText(/Known by \d+ attributes\./).waitFor();
  });

  test('a refusal is shown, and nothing is added', async () => {
    await chooseSample(page, 'Mike');
    await field().fill('line\u2028break');
    await page.getByRole('button', { name: 'Add as a new class' }).click();
    await alert(page, /.+/).waitFor();
    expect((await client.classes({ kind: 'runtime' })).classes).toEqual([]);
  });

  test('pictures in the editor become examples, and what is read from them is where the sliders start', async () => {
    await page.getByRole('button', { name: 'Add a class' }).click();
    await editor(page).getByLabel('Name').fill('Sun');
    await editor(page)
      .getByLabel('Add pictures of it')
      .setInputFiles(await drawn(3));
    await editor(page).getByRole('status', { name: 'Pictures' }).getByText('3 pictures of it').waitFor();
    const filter = editor(page).getByLabel('Filter attributes');
    await filter.fill('white colour');
    const exactly = editor(page).getByLabel('colour white, exactly');
    await expect.poll(async () => Number(await exactly.inputValue())).toBeGreaterThan(0.3); // a red disc on white
    await editor(page)
      .getByText(/not given: read, \d+\s% sure/)
      .first()
      .waitFor();
    await exactly.fill('0.8');
    await exactly.press('Tab');
    expect(await violations(page)).toEqual([]);
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    await editor(page).getByRole('button', { name: /^Save/ }).click();
    await waitForSaved(page, /^Sun is saved/);
    const saved = await client.class('Sun');
    expect(saved.examples).toBe(3);
    expect(saved.attributes).toEqual({ 'colour::white': 0.8 }); // what nobody has given is not known
    await chooseSample(page, 'Rising sun');
    await expectVerdict(page, /^Sun \d+\s%added: /);
  });

  test('pictures dropped on the editor are pictures of its class, not the one to look at', async () => {
    await page.getByRole('button', { name: 'Add a class' }).click();
    const files = (await drawn(2)).map(({ name, buffer }) => ({ name, data: buffer.toString('base64') }));
    await page.evaluate(`{
      const transfer = new DataTransfer();
      for (const { name, data } of ${JSON.stringify(files)}) {
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type: 'image/jpeg' }));
      }
      const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
      document.querySelector('dialog.editor').dispatchEvent(new DragEvent('drop', options));
    }`);
    await editor(page).getByRole('status', { name: 'Pictures' }).getByText('2 pictures of it').waitFor();
    expect(await page.locator('.drop-picture[alt*=sun-]').count()).toBe(0);
    await editor(page).getByRole('button', { name: 'Remove sun-0.jpg' }).click();
    await editor(page).getByRole('status', { name: 'Pictures' }).getByText('1 picture of it').waitFor();
  });

  test('a class that is edited keeps what is not known of it unknown', async () => {
    await client.createClass({ name: 'Partly', attributes: { 'colour::red': 0.5 } });
    const flag = await renderFlag(letterFlags[0], Random.stream(6, 'partly'));
    await page.reload();
    await page.getByRole('button', { name: 'Edit: Partly' }).click();
    await editor(page)
      .getByLabel('Add pictures of it')
      .setInputFiles([{ name: 'alfa.jpg', mimeType: 'image/jpeg', buffer: flag }]);
    await editor(page).getByRole('button', { name: 'Try it out' }).click();
    await editor(page).getByRole('status', { name: 'Expectation' }).waitFor();
    await editor(page).getByRole('button', { name: /^Save/ }).click();
    await waitForSaved(page, /^Partly is saved/);
    const saved = await client.class('Partly');
    expect([saved.attributes, saved.examples]).toEqual([{ 'colour::red': 0.5 }, 1]);
  });
});
