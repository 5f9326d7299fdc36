/** Flags that the demonstration model knows nothing of, with their attributes: classes that may be added, and pictures drawn of. */
import { attributeNames, attributesOf } from '../../demo/flags/attributes.js';
import { colours, type FlagDescription, type NamedFlag } from '../../demo/flags/description.js';
import { inventedFlags } from '../../demo/flags/invented.js';
import { letterFlags } from '../../demo/flags/letters.js';

interface UnknownFlag {
  readonly flag: NamedFlag;
  readonly attributes: Readonly<Record<string, number>>;
}

/** The flags that training saw, every colour replaced by the next one; without those that there are. */
export function unknownFlags(): UnknownFlag[] {
  const known = new Set([...inventedFlags, ...letterFlags].map(keyOf));
  const next = inventedFlags.map((flag): NamedFlag => {
    const turned = flag.colours.map((colour) => colours[(colours.indexOf(colour) + 1) % colours.length]);
    return { ...flag, name: `another ${flag.name}`, colours: turned };
  });
  return next
    .filter((flag) => !known.has(keyOf(flag)))
    .map((flag) => {
      const values = attributesOf(flag);
      return { flag, attributes: Object.fromEntries(attributeNames.map((name, k) => [name, values[k]])) };
    });
}

function keyOf({ shape, layout, colours: own }: FlagDescription): string {
  return [shape, layout, ...own].join(' ');
}
