/** What of README and docs is not run: listed, with a reason, still there, and held to what can be checked without running it. */
import { expect, test } from 'vitest';
import { projectFolder } from '../../core/project-folder.js';
import { parseMarkdown, readDocumentation } from '../support/documentation/markdown.js';
import { notRun, notRunFor } from '../support/documentation/not-run.js';
import { shownIn } from '../support/documentation/shown.js';

const shown = readDocumentation(projectFolder()).flatMap(shownIn);

test('every command that is listed as not run is still shown somewhere', () => {
  const used = new Set(shown.map(({ text }) => notRunFor(text)));
  expect(notRun.filter((entry) => !used.has(entry)).map(({ start }) => start)).toEqual([]);
});

test('what is not run is right as far as that can be told', () => {
  const complaints = shown.flatMap(({ place, text }) =>
    (notRunFor(text)?.instead?.(text) ?? []).map((complaint) => `${place}: ${complaint}`),
  );
  expect(complaints).toEqual([]);
});

test('the lesser checks notice mistakes', () => {
  for (const text of [
    'docker build --target nothing .',
    'docker build --build-arg NOTHING=1 .',
    'kubectl apply -k k8s/nothing',
    'scripts/image/nothing.sh',
  ])
    expect(notRunFor(text)!.instead!(text), text).toHaveLength(1);
  expect(notRunFor('npm run bench -- headless')).toBeUndefined();
});

test('commands are found in blocks and sentences, in their order; names of commands are none', () => {
  const document = parseMarkdown(
    'docs/some.md',
    `Say \`unseen train\`, \`unseen train --data x\` or \`unseen classes add|list\`, then \`npx unseen serve --bundle b\`.
\`\`\`
npm ci && npx unseen demo   # serves
curl -s a | jq '.b # c' > d; A=1 node e \\
  f
\`\`\`
\`\`\`text
npm nothing
\`\`\`
\`unseen dataset convert a b --to open|xlsa17\`, \`unseen serve --help\`, \`docker run …\`, \`npm\`
`,
  );
  expect(shownIn(document).map(({ place, text }) => `${place} ${text}`)).toEqual([
    'docs/some.md:1 npx unseen serve --bundle b',
    'docs/some.md:3 npm ci',
    'docs/some.md:3 npx unseen demo',
    "docs/some.md:4 curl -s a | jq '.b # c' > d",
    'docs/some.md:4 A=1 node e \\\n  f',
    'docs/some.md:10 unseen dataset convert a b --to open',
    'docs/some.md:10 unseen dataset convert a b --to xlsa17',
    'docs/some.md:10 unseen serve --help',
  ]);
});
