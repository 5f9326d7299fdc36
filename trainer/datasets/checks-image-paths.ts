import { normalisedName } from '../../core/class-name.js';
import type { Dataset } from './dataset.js';
import { errorFinding, type Finding } from './findings.js';

/**
 * Where pictures lie in a folder per class (".../001.Black_footed_Albatross/x.jpg", ".../antelope/antelope_1.jpg",
 * ".../a/airport/entrance/x.jpg"), the path says what the class is. When it names another class than the label for most
 * rows, labels and class names are in different orders: the mistake that ruins a model without an error anywhere.
 * Paths that name no class prove nothing, and are left out.
 */
export function classNamesInPaths({ imageFiles, labels, classNames }: Dataset): Finding[] {
  if (!imageFiles) return [];
  const classOf = new Map(classNames.map((name, label) => [simplified(name), label]));
  const classOfFolder = new Map<string, number | undefined>(); // few folders, many files
  let named = 0;
  let wrong = 0;
  let example = '';
  for (let row = 0; row < Math.min(imageFiles.length, labels.length); row++) {
    const folder = imageFiles[row].slice(0, imageFiles[row].search(/[^/\\]*$/));
    if (!classOfFolder.has(folder)) classOfFolder.set(folder, classOfPath(folder, classOf));
    const label = classOfFolder.get(folder);
    if (label === undefined || !(labels[row] in classNames)) continue;
    named += 1;
    if (label === labels[row]) continue;
    wrong += 1;
    example ||= `"${imageFiles[row]}" is labelled "${classNames[labels[row]]}"`;
  }
  if (wrong * 2 <= named) return [];
  return [
    errorFinding(
      'class-order',
      `the folders of ${wrong} of ${named} pictures name another class than their labels (${example}): ` +
        'the labels do not follow the order of the class names',
    ),
  ];
}

/** The last folder, or the last two or three together (SUN keeps "airport/entrance" for airport_entrance). */
function classOfPath(folder: string, classOf: ReadonlyMap<string, number>): number | undefined {
  const parts = folder.split(/[/\\]/).filter((part) => part !== '');
  for (let depth = 1; depth <= Math.min(3, parts.length); depth++) {
    const label = classOf.get(simplified(parts.slice(-depth).join(' ')));
    if (label !== undefined) return label;
  }
  return undefined;
}

/** "001.Black_footed_Albatross", "black+footed+albatross" and "Black footed albatross" are one name. */
function simplified(name: string): string {
  const letters = normalisedName(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return letters.replace(/^\d+(?=\p{L})/u, '');
}
