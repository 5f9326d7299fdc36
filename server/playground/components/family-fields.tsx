import { useState } from 'preact/hooks';
import type { Family } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { figure, place } from '../state/figures.js';
import { AttributeField } from './attribute-field.js';

interface Properties {
  readonly family: Family;
  readonly draft: ClassDraft;
  /** People open and close it as they like afterwards. */
  readonly startsOpen: boolean;
}

/** What a folded family shows of its values. */
const summarised = 3;

export function FamilyFields({ family, draft, startsOpen }: Properties) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details
      class="family"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <FamilySummary family={family} draft={draft} />
      {isOpen && (
        <div class="family-fields">
          {family.attributes.map((attribute) => (
            <AttributeField key={attribute.name} attribute={attribute} draft={draft} />
          ))}
        </div>
      )}
    </details>
  );
}

/** A component of its own, because it reads the values: the rows beside it are not drawn again with it. */
function FamilySummary({ family: { name, attributes }, draft }: Pick<Properties, 'family' | 'draft'>) {
  const changed = attributes.filter((one) => draft.isChanged(one.name)).length;
  return (
    <summary>
      <span class="family-name">{name}</span>
      <span class="family-values">{largestValues(attributes, draft)}</span>
      {changed > 0 && <span class="family-changed">{changed} changed</span>}
    </summary>
  );
}

function largestValues(attributes: Family['attributes'], draft: ClassDraft): string {
  const valued = attributes
    .map(({ name, label, minimum, maximum }) => {
      const value = draft.values.get(name)!.value;
      return { label, value, share: place(value, minimum, maximum) };
    })
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  const more = valued.length > summarised ? ', …' : '';
  return (
    valued
      .slice(0, summarised)
      .map(({ label, value }) => `${label} ${figure(value)}`)
      .join(', ') + more
  );
}
