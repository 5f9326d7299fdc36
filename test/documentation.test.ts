/** Holds README.md and docs/ to the program. Nothing that they show is run here, but everything is looked up or parsed. */
import { expect, test } from 'vitest';
import { exitCodes } from '../cli/exit-codes.js';
import { Failure, failureCodes } from '../core/failures.js';
import { projectFolder } from '../core/project-folder.js';
import { problemDetailsOf } from '../server/http/problem-details.js';
import { shellIn, unseenWords, type Check } from './support/documentation/check.js';
import { checkCommands, checkMentions } from './support/documentation/commands.js';
import { parseMarkdown, readDocumentation } from './support/documentation/markdown.js';
import { checkClient, checkLinks, checkScripts, checkSettings } from './support/documentation/names.js';
import { checkRoutes } from './support/documentation/routes.js';

const documents = readDocumentation(projectFolder());

/** Each check with mistakes that it must notice, by the line of the document below. */
const mistaken = parseMarkdown(
  'docs/mistaken.md',
  `# A title
[gone](gone.md) [no heading](#a-tittle) ![picture](images/none.webp) [fine](#a-title)
\`unseen trian --data x\` \`unseen train --no-such-option\` \`--nor-this\` \`generator.hiden\` UNSEEN_NOTHING
\`\`\`
npx unseen train --data x                        # --out is required
KEY=1 npx unseen serve --prot 1 && unseen fly
npm run nothing && npm run bench -- nothing-to-measure
node dist/nothing.js
curl -d @x 'localhost:8080/classify?topk=3' | jq .
curl -X DELETE localhost:8080/attributes
curl \\
  localhost:8080/nothing
\`\`\`
\`\`\`ts
await client.guess(picture);
\`\`\`
`,
);

const checks: readonly [claim: string, check: Check, mistakes: readonly string[]][] = [
  [
    'every link, picture and anchor leads somewhere',
    checkLinks,
    ['2: docs/gone.md', '2: docs/mistaken.md has no heading #a-tittle', '2: docs/images/none.webp'],
  ],
  [
    'the program takes every command that is shown',
    checkCommands,
    ["5: unseen train --data x: error: required option '--out", '6: unseen serve --prot', '6: unseen fly'],
  ],
  [
    'commands and options within sentences exist',
    checkMentions,
    ['3: unseen trian', '3: unseen train --no-such-option', '3: --nor-this'],
  ],
  [
    'every script and benchmark exists',
    checkScripts,
    [
      '7: there is no script nothing',
      '7: there is no script nothing-to-measure',
      '8: there is no nothing.ts',
    ],
  ],
  [
    'every route that is called exists, with its method and query',
    checkRoutes,
    ['12: there is no route', '9: /classify takes no topk', '10: DELETE /attributes', '11: GET /nothing'],
  ],
  [
    'every setting and environment variable exists',
    checkSettings,
    ['3: there is no setting UNSEEN_NOTHING', '3: there is no setting generator.hiden'],
  ],
  ['every call of the client exists', checkClient, ['15: the client has no guess()']],
];

test.each(checks)('%s', (_, check) => {
  expect(documents.flatMap(check)).toEqual([]);
});

test.each(checks)('mistakes are noticed: %s', (_, check, mistakes) => {
  const found = check(mistaken).map((complaint) => complaint.replace('docs/mistaken.md:', ''));
  expect(found).toEqual(mistakes.map((start) => expect.stringMatching(`^${start}`) as string));
});

test('there is something to check', () => {
  const shown = documents.flatMap(shellIn);
  expect(shown.filter(({ words }) => unseenWords(words)).length).toBeGreaterThan(20);
  expect(shown.filter(({ words }) => words[0] === 'curl').length).toBeGreaterThan(8);
  expect(documents.flatMap(({ links }) => links).length).toBeGreaterThan(50);
});

test('docs/failures.md has every failure code, with its exit code and HTTP status', () => {
  const page = documents.find(({ path }) => path === 'docs/failures.md')!;
  const rows = page.lines.flatMap((line) => {
    const row = /^\| `([a-z-]+)` +\| (\d+) +\| (\d*) +\|/.exec(line);
    return row ? [row.slice(1)] : [];
  });
  const expected = failureCodes.map((code) => {
    const problem = problemDetailsOf(new Failure(code, ''));
    return [code, String(exitCodes[code]), problem.code === code ? String(problem.status) : ''];
  });
  expect(rows.sort()).toEqual(expected.sort());
});
