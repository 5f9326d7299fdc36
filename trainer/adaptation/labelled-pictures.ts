/** Pictures of which it is known what they show, a folder for each class: in an adaptation they count with their class from the start. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { takeRows } from '../../core/matrix.js';
import { didYouMean } from '../../core/similar-names.js';
import type { UnlabelledPool } from './unlabelled-pool.js';

type Described = Bundle['manifest']['classes'][number];

/** By the file of each picture, as a path below the folder that was given; wrong folders are named before any picture is read. */
export function classOfFiles(
  { manifest: { classes } }: Pick<Bundle, 'manifest'>,
  files: readonly string[],
): Map<string, Described> {
  const known = new Map(classes.map((one) => [normalisedName(one.name), one]));
  const found = new Map<string, Described>();
  for (const file of files) {
    const [folder, ...below] = file.split('/');
    if (below.length === 0)
      throw new Failure(
        'dataset-invalid',
        `${file} lies in no folder. Put each labelled picture into a folder that is named after its class.`,
      );
    const described = known.get(normalisedName(folder));
    if (!described)
      throw new Failure(
        'dataset-invalid',
        `The folder ${folder} is named after no class of the bundle.${didYouMean(
          folder,
          classes.map(({ name }) => name),
        )}`,
      );
    found.set(file, described);
  }
  return found;
}

/** The classes of the bundle that have labelled pictures, with these. */
export function labelledClasses(
  bundle: Pick<Bundle, 'manifest'>,
  { features, names }: Pick<UnlabelledPool, 'features' | 'names'>,
): RuntimeClass[] {
  const rows = new Map<Described, number[]>();
  const classOf = classOfFiles(bundle, names);
  names.forEach((file, row) => {
    const described = classOf.get(file)!;
    rows.set(described, [...(rows.get(described) ?? []), row]);
  });
  return Array.from(rows, ([{ name, attributes }, own]) => {
    return { name, attributes, examples: takeRows(features, own) };
  });
}
