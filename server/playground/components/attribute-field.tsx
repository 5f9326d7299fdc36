import { useId } from 'preact/hooks';
import type { Attribute } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { figure, percent } from '../state/figures.js';

const steps = 100;

interface Properties {
  readonly attribute: Attribute;
  readonly draft: ClassDraft;
}

/** A slider for rough changes, a number for exact ones, and a reset button. */
export function AttributeField({ attribute, draft }: Properties) {
  const { name, label, family, minimum, maximum } = attribute;
  const id = useId();
  const value = draft.values.get(name)!;
  const isChanged = draft.isChanged(name);
  const origin = draft.origin.value.get(name)!;
  const certainty = isChanged ? undefined : draft.certainty.value.get(name);
  const set = ({ valueAsNumber }: HTMLInputElement): void => {
    if (Number.isFinite(valueAsNumber)) value.value = valueAsNumber;
  };
  return (
    <div class="attribute" data-changed={isChanged}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        // A class may have values outside the range of the seen classes.
        min={Math.min(minimum, origin)}
        max={Math.max(maximum, origin)}
        step="any"
        value={value.value}
        onInput={({ currentTarget }) => {
          set(currentTarget);
        }}
      />
      <input
        type="number"
        aria-label={`${family} ${label}, exactly`}
        step={(maximum - minimum) / steps || 'any'}
        value={figure(value.value)}
        onChange={({ currentTarget }) => {
          set(currentTarget);
        }}
      />
      <button
        type="button"
        class="link"
        aria-label={`${family} ${label}: back to ${figure(origin)}`}
        disabled={!isChanged}
        onClick={() => {
          draft.reset(name);
        }}
      >
        ↺
      </button>
      {certainty !== undefined && (
        <span class="fine certainty">not given: read, {percent(certainty)} sure</span>
      )}
    </div>
  );
}
