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
  'server/classes/replicas',
  'end-to-end/missing-rows',
  'server/playground/editing',
  'end-to-end/training',
  'core/backbone/resnet50',
  'trainer/train',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? longest.length : index;
    };
    // Then those that share processes, which end as soon as a file comes that does not; short ones last, to fill what time is left.
    const isAlone = ({ project }: TestSpecification): number => (project.config.isolate ? 1 : 0);
    return ordered.sort((a, b) => rank(a) - rank(b) || isAlone(a) - isAlone(b)); // sorting is stable
  }
}
