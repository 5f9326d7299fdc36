/** What the documentation supposes its readers to have, by the names that it uses: small, and real. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../core/project-folder.js';
import { writeExample } from '../../../demo/flags/example.js';
import { inventedFlags } from '../../../demo/flags/invented.js';
import { letterFlags } from '../../../demo/flags/letters.js';
import { newcomerFlag } from '../../../demo/flags/newcomer.js';
import { noSearch } from '../../../trainer/presets.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { smallNetwork } from '../../../fixtures/small-backbone.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { makeCertificate } from '../certificate.js';

type Make = (folder: string) => void | Promise<void>;

const samples = join(projectFolder(), 'server/playground/samples');
const write = (folder: string, name: string, value: unknown): void => {
  writeFileSync(join(folder, name), JSON.stringify(value));
};
const demonstration = (name: string): Make => {
  return (folder) => {
    symlinkSync(join(projectFolder(), 'models/demo'), join(folder, name));
  };
};
const dataset = (name: string): Make => {
  return (folder) => writeOpenForm(syntheticDataset({ seen: 20, rowsPerClass: 6 }), join(folder, name));
};
const photograph: Make = (folder) => {
  copyFileSync(join(samples, 'Mike.jpg'), join(folder, 'photo.jpg'));
};

/** Pictures of some classes, with the table that describes them and some more. */
const pictures: Make = async (folder) => {
  const example = join(folder, 'drawn');
  const [invented, letters] = [inventedFlags.slice(0, 18), letterFlags.slice(0, 3)];
  await writeExample(example, { invented, letters }, 2);
  renameSync(join(example, 'pictures'), join(folder, 'PICTURES'));
  renameSync(join(example, 'attributes.csv'), join(folder, 'attributes.csv'));
};
const newClass = (name: string): Make => {
  return async (folder) => {
    await writeExample(join(folder, `for-${name}`), { invented: [], letters: [] }, 2);
    renameSync(join(folder, `for-${name}`, 'new-class.csv'), join(folder, name));
  };
};

/** Everything is made when a command first names it. */
export const props: Readonly<Record<string, Make>> = {
  'photo.jpg': photograph,
  PHOTOS: (folder) => {
    symlinkSync(samples, join(folder, 'PHOTOS'));
  },
  PICTURES: pictures,
  'new-classes.csv': newClass('new-classes.csv'),
  // docs/examples.md: a folder for each class of that table.
  EXAMPLES: (folder) => {
    mkdirSync(join(folder, 'EXAMPLES', newcomerFlag.name), { recursive: true });
    copyFileSync(join(samples, 'Rising-sun.jpg'), join(folder, 'EXAMPLES', newcomerFlag.name, '1.jpg'));
  },
  FILE: newClass('FILE'),
  DATA: dataset('DATA'),
  FROM: dataset('FROM'),
  bundle: demonstration('bundle'),
  'clip-image.onnx': (folder) => {
    writeFileSync(join(folder, 'clip-image.onnx'), smallNetwork({ size: 224 }));
  },
  // docs/operating.md: both files of one certificate.
  'certificate.pem': (folder) => {
    const { cert, key } = makeCertificate('documentation');
    writeFileSync(join(folder, 'certificate.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
  },
  'grid.json': (folder) => {
    write(folder, 'grid.json', { 'generator.learningRate': [1e-4, 1e-3] });
  },
  // docs/http.md: the class that was just added, without its name.
  'attributes.json': (folder) => {
    const { attributes } = JSON.parse(readFileSync(join(folder, 'new.json'), 'utf8')) as {
      attributes: object;
    };
    write(folder, 'attributes.json', { attributes });
  },
};

/** Settings with which training takes seconds. */
export const quickSettings = {
  features: { kind: 'minmax' }, // two pictures of a class are too few to measure how they spread
  generator: {
    ...{ hidden: 48, predictorHidden: 24, members: 1, noiseWidth: 8, epochs: 10, batchSize: 32 },
    transport: { iterations: 5 },
  },
  head: { samplesPerClass: 20, iterations: 30 },
  validation: { folds: 1, search: noSearch },
};
