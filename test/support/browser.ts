/** Debian's Chromium, driven by playwright-core. Tests that need it are skipped, with a note, where there is none. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';

const program = process.env.UNSEEN_TEST_CHROMIUM ?? '/usr/bin/chromium';

export const hasBrowser = existsSync(program);
if (!hasBrowser)
  console.warn(
    `No browser at ${program}: what needs one is skipped. Install chromium, or name it in UNSEEN_TEST_CHROMIUM.`,
  );

let started: Promise<Browser> | undefined;

/** One for all test files of the process, with which it ends; what pages keep is apart by their contexts. */
export function openBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: program,
    args: [
      ...['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-first-run', '--disable-dev-shm-usage'],
    ],
    timeout: 90_000, // a busy machine takes its time
  });
  return started;
}

export interface OpenedPage extends Page {
  /** What a page should never do: throw, log an error, break its own policy, contact another host. */
  readonly faults: string[];
}

export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await (
    await openBrowser()
  ).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    // Chromium logs every refusal of the server as an error; the page shows them, which tests look at.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'blob:' && origin !== new URL(url).origin) faults.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return Object.assign(page, { faults });
}

/** Closes the page, and holds it to have been without fault. */
export async function closePage(page: OpenedPage): Promise<void> {
  await page.context().close();
  expect(page.faults).toEqual([]);
}
