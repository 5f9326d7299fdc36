/** Attributes by family, as their names tell: `has_wing_color::blue` is `blue` of the family `has wing color`. */

export interface Attribute {
  /** As the server knows it. */
  readonly name: string;
  readonly family: string;
  /** Within its family. */
  readonly label: string;
  readonly minimum: number;
  readonly maximum: number;
  /** What it is, where the dataset has told. */
  readonly title?: string;
}

export interface Family {
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

type Described = Pick<Attribute, 'name' | 'minimum' | 'maximum'> & {
  readonly description?: string | undefined;
  readonly unit?: string | undefined;
  readonly family?: string | undefined;
};

/** What parts a family from a value, the most telling first. */
const separators = ['::', '=', '/', ':'];
const withoutFamily = 'Attributes';

export function describeAttribute({ name, minimum, maximum, ...note }: Described): Attribute {
  const separator = separators.find((candidate) => name.indexOf(candidate) > 0);
  const at = separator === undefined ? -1 : name.indexOf(separator);
  const family = note.family ?? (at < 0 ? withoutFamily : readable(name.slice(0, at)));
  const label = at < 0 ? readable(name) : readable(name.slice(at + separator!.length)) || family;
  const title = [note.description, note.unit && `in ${note.unit}`].filter(Boolean).join(', ');
  return { name, family, label, minimum, maximum, ...(title !== '' && { title }) };
}

/** In the order in which they first appear. */
export function familiesOf(described: readonly Described[]): Family[] {
  const families = new Map<string, Attribute[]>();
  for (const one of described) {
    const attribute = describeAttribute(one);
    const members = families.get(attribute.family);
    if (members) members.push(attribute);
    else families.set(attribute.family, [attribute]);
  }
  return Array.from(families, ([name, attributes]) => ({ name, attributes }));
}

/** What fits the filter and, where that is asked for, is among `kept`. A family of which all fits is the same object. */
export function narrowFamilies(
  families: readonly Family[],
  filter: string,
  kept: ReadonlySet<string> | null,
): Family[] {
  return families
    .map((family) => {
      const attributes = family.attributes.filter(
        (one) => matchesFilter(one, filter) && (kept?.has(one.name) ?? true),
      );
      return attributes.length === family.attributes.length ? family : { ...family, attributes };
    })
    .filter(({ attributes }) => attributes.length > 0);
}

/** The words of the filter may occur in any order, in family or value. */
export function matchesFilter({ family, label, name }: Attribute, filter: string): boolean {
  const text = `${family} ${label} ${name}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function readable(text: string): string {
  return text.replaceAll('_', ' ').trim();
}
