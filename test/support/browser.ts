import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** A real browser, or null where there is none: Debian's Chromium, or the one that UNSEEN_TEST_CHROMIUM names. */
export async function openBrowser(): Promise<Browser | null> {
  const executablePath = process.env.UNSEEN_TEST_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return null;
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
    timeout: 90_000, // a busy machine takes its time
  });
}
