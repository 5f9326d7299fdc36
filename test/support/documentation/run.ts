import { afterAll, describe, expect, test } from 'vitest';
import { unseen } from '../command-line.js';
import { temporaryFolder } from '../folders.js';
import { Machine } from './machine.js';
import type { Markdown } from './markdown.js';
import { notRunFor } from './not-run.js';
import { shellCommands } from './shell-commands.js';
import { shownIn, type Shown } from './shown.js';
import { hasTool } from '../tools.js';

/**
 * The backbone is fetched as a reader's first command would; false only where npm cannot fetch it. Any other failure is
 * thrown: it would otherwise skip every command.
 */
export async function hasBackbone(): Promise<boolean> {
  const { code, stdout, stderr } = await unseen('backbone', 'pull', '--json');
  if (code === 0) return true;
  if (!stdout.includes('"backbone-unavailable"')) throw new Error(`"unseen backbone pull" failed: ${stderr}`);
  console.warn(`Commands of the documentation are not run: ${stderr}`);
  return false;
}

/** Runs every command of each document, in its order, on a machine of its own; each is a test. */
export function runDocuments(documents: readonly Markdown[], isPossible: boolean): void {
  for (const document of documents) {
    const toRun = shownIn(document).filter(({ text }) => !notRunFor(text));
    if (toRun.length > 0)
      describe(document.path, () => {
        runInOrder(toRun, isPossible ? new Machine(temporaryFolder()) : null);
      });
  }
}

function runInOrder(commands: readonly Shown[], machine: Machine | null): void {
  afterAll(() => machine?.stop());
  for (const { place, text } of commands)
    test.skipIf(!machine || !toolsOf(text).every(hasTool))(`${place}: ${text}`, async () => {
      const { code, stdout, stderr } = await machine!.run(text);
      expect(code, stdout + stderr).toBe(0);
    });
  test.skipIf(!machine)('the server that was left running, if any, ends well', async () => {
    const { code, stderr } = await machine!.stop();
    expect(code, stderr).toBe(0);
  });
}

/** Programs that a reader's machine may lack. Any other word must run: a mistyped command is no missing program. */
const mayBeMissing = ['curl', 'jq', 'kubectl', 'docker'];

function toolsOf(text: string): string[] {
  return shellCommands(text)
    .map(({ words }) => words[0])
    .filter((name) => mayBeMissing.includes(name));
}
