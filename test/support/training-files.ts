import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { configurationSchema } from '../../trainer/configuration.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { noSearch } from '../../trainer/presets.js';
import { syntheticDataset, type SyntheticSizes } from '../../fixtures/synthetic-dataset.js';

interface TrainingFiles {
  readonly data: string;
  /** What names the files to a command that trains, on one thread. */
  readonly options: readonly string[];
}

/** A small dataset and settings for it, as files; one fold of validation and no search unless the settings say so. */
export async function trainingFiles(
  folder: string,
  sizes: Partial<SyntheticSizes>,
  settings: z.input<typeof configurationSchema>,
): Promise<TrainingFiles> {
  const data = join(folder, 'data');
  await writeOpenForm(syntheticDataset(sizes), data);
  const config = join(folder, 'settings.json');
  writeFileSync(config, JSON.stringify({ validation: { folds: 1, search: noSearch }, ...settings }));
  return { data, options: ['--data', data, '--config', config, '--threads', '1'] };
}
