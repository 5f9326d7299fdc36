import { useEffect, useState } from 'preact/hooks';
import type { Attribute, Family } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { figure, place } from '../state/figures.js';
import { AttributeField } from './attribute-field.js';

interface Properties {
  readonly family: Family;
  readonly draft: ClassDraft;
  /** By the filter; people open and close as they like besides. */
  readonly isOpened: boolean;
}

/** What a folded family shows of its values. */
const summarised = 3;

export function FamilyFields({ family: { name, attributes }, draft, isOpened }: Properties) {
  const [isOpen, setOpen] = useState(isOpened);
  useEffect(() => {
    setOpen(isOpened);
  }, [isOpened]);
  const changed = attributes.filter((one) => draft.isChanged(one.name)).length;
  return (
    <details
      class="family"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        <span class="family-name">{name}</span>
        <span class="family-values">{summary(attributes, draft)}</span>
        {changed > 0 && <span class="family-changed">{changed} changed</span>}
      </summary>
      {isOpen && (
        <div class="family-fields">
          {attributes.map((attribute) => (
            <AttributeField key={attribute.name} attribute={attribute} draft={draft} />
          ))}
        </div>
      )}
    </details>
  );
}

/** The largest few. */
function summary(attributes: readonly Attribute[], draft: ClassDraft): string {
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
