// A reporter for Vitest that writes down, as JSON, the tests that failed at first and passed when they were tried again. It is
// told where to by UNSEEN_SECOND_TRIES.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class SecondTryReporter {
  tests = [];

  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return;
    this.tests.push(`${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`);
  }

  onTestRunEnd() {
    writeFileSync(process.env.UNSEEN_SECOND_TRIES, JSON.stringify(this.tests));
  }
}
