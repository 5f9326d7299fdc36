/**
 * The order of test files. Vitest starts with the largest ones, and the two that run the documentation's commands are among the
 * smallest: started last, they would run alone while the other processor idles.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longer than 20 s, longest first; `npm test` prints how long each file took. */
const longest = [
  'documentation/guide-commands',
  'documentation/readme-commands',
  'end-to-end/package',
  'server/playground/refusals',
  'server/playground/accessibility',
  'observability/rules',
  'server/classes/store/outage',
  'server/classes/store/durability',
  'server/playground/teaching',
  'end-to-end/reproduce',
  'server/playground/correcting',
  'core/backbone/resnet50',
  'server/classes/replicas',
  'end-to-end/missing-rows',
  'server/playground/editing',
  'trainer/train',
  'end-to-end/training',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? longest.length : index;
    };
    return ordered.sort((a, b) => rank(a) - rank(b)); // the rest stay in their order: sorting is stable
  }
}
