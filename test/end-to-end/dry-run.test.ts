/** Dry runs of the demonstration model over HTTP: what there could be, what there could not, and what a picture would become. */
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../client/index.js';
import { Random } from '../../core/random.js';
import { attributesOf } from '../../demo/flags/attributes.js';
import { newcomerFlag } from '../../demo/flags/newcomer.js';
import { renderFlag } from '../../demo/flags/render.js';
import { startDemoServer } from '../support/demo-server.js';
import { testKey } from '../support/test-server.js';

// Drawn before the server starts: from then on this process reads JPEG, PNG and WebP only, and flags are drawn as SVG.
const picture = await renderFlag(newcomerFlag, Random.stream(3, 'dry-run'));
const server = await startDemoServer();

describe.skipIf(!server)('a dry run', () => {
  const client = new UnseenClient({ url: server?.url ?? '', key: testKey });
  const flag = { name: newcomerFlag.name, attributes: attributesOf(newcomerFlag) };

  test('believes in a flag that could be, and says how much of it will be recognised', async () => {
    const [preview] = (await client.previewClasses([flag])).previews;
    expect(preview).toMatchObject({ plausible: true, problems: [] });
    expect(preview.expected).toBeGreaterThan(0.5);
    expect(preview.nearest[0].name).toMatch(/^disc-/);
  });

  test('believes in no random attributes, and expects nothing of them', async () => {
    const { attributes } = await client.attributes();
    const random = Random.stream(1, 'random-classes');
    const classes = Array.from({ length: 20 }, (_, i) => ({
      name: `random ${i}`,
      attributes: Object.fromEntries(
        attributes.map(({ name, minimum, maximum }) => [
          name,
          minimum + random.uniform() * (maximum - minimum),
        ]),
      ),
    }));
    const { previews } = await client.previewClasses(classes);
    const refused = previews.filter(({ plausible }) => !plausible);
    expect(refused.length).toBeGreaterThanOrEqual(19);
    for (const { problems, expected } of refused) {
      expect(problems.join()).toContain('unlike that of any class in training');
      expect(problems.join()).toMatch(
        /Likelier beside the others would be: .* instead of .*The nearest class is /,
      );
      expect(expected).toBeNull();
    }
  });

  test('says what a picture would become', async () => {
    const [{ pictures = [] }] = (
      await client.previewClass(flag, { pictures: [{ name: 'sun.jpg', picture }] })
    ).previews;
    expect(pictures).toMatchObject([{ name: 'sun.jpg', class: newcomerFlag.name }]);
    expect(pictures[0].own).toBe(pictures[0].probability);
    expect(pictures[0].own).toBeGreaterThan(0.5);
  });
});
