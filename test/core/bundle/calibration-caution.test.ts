import { expect, test } from 'vitest';
import { calibrationCaution, enoughValidationClasses } from '../../../core/bundle/calibration-caution.js';

const measuredOn = (classes: number) =>
  calibrationCaution({
    recognition: {
      ...{ constant: 0.5, promise: 0, nearness: 0, crowding: 0 },
      ...{ attributeScale: [], error: 0.2, classes },
    },
  });

test('a calibration that rests on few classes says that it is not sure, and on how many', () => {
  expect(measuredOn(3)).toContain('measured on 3 classes held out, which is not enough to be sure');
  expect(measuredOn(1)).toContain('a single class');
  expect(calibrationCaution({ recognition: null })).toContain('0 classes');
  expect(measuredOn(enoughValidationClasses)).toBeNull();
});
