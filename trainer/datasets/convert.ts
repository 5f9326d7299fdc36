import { existsSync } from 'node:fs';
import { Failure } from '../../core/failures.js';
import { silent, type Watcher } from '../../core/progress.js';
import { stopIfAsked } from '../../core/stop.js';
import { loadDataset, type DatasetForm, type LoadOptions } from './load.js';
import { writeOpenForm } from './write-open-form.js';
import { writeXlsa17 } from './write-xlsa17.js';

/** Reads a sound dataset of either form and writes it anew in the form asked for; every number stays as it is. */
export async function convertDataset(
  from: string,
  to: string,
  form: DatasetForm,
  options: LoadOptions = {},
  watcher: Watcher = silent,
): Promise<void> {
  // Checked before the conversion, which can take minutes.
  if (existsSync(to))
    throw new Failure('output-exists', `${to} exists already: name another directory, or remove it first.`);
  const dataset = await loadDataset(from, options);
  stopIfAsked(watcher.signal);
  await (form === 'open' ? writeOpenForm(dataset, to) : writeXlsa17(dataset, to));
}
