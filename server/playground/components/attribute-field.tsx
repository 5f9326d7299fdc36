import { useId } from 'preact/hooks';
import type { Attribute } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { figure, percentInWords, resolution, rounded } from '../state/figures.js';
import { spokenValue, valueWords } from '../state/value-words.js';

interface Properties {
  readonly attribute: Attribute;
  readonly draft: ClassDraft;
}

/** A slider for rough changes, a number for exact ones, a reset button, and what the value means. */
export function AttributeField({ attribute, draft }: Properties) {
  const { name, label, family, minimum, maximum, title } = attribute;
  const id = useId();
  const value = draft.values.get(name)!;
  const isChanged = draft.isChanged(name);
  const origin = draft.origin.value.get(name)!;
  const certainty = isChanged ? undefined : draft.certainty.value.get(name);
  const step = resolution(minimum, maximum);
  // A class may have values outside the range of the seen classes.
  const [lowest, highest] = [Math.min(minimum, origin), Math.max(maximum, origin)];
  const slideTo = (to: number): void => {
    value.value = to === lowest || to === highest ? to : rounded(to, step);
  };
  const setExactly = (to: number): void => {
    if (Number.isFinite(to)) value.value = to;
  };
  return (
    <div class="attribute" data-changed={isChanged}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={lowest}
        max={highest}
        step="any"
        value={value.value}
        aria-describedby={title && `${id}-note`}
        aria-valuetext={spokenValue(value.value, attribute)}
        onInput={({ currentTarget }) => {
          slideTo(currentTarget.valueAsNumber);
        }}
      />
      <input
        type="number"
        aria-label={`${family} ${label}, exactly`}
        step={step}
        value={figure(value.value)}
        onChange={({ currentTarget }) => {
          setExactly(currentTarget.valueAsNumber);
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
      <span class="fine attribute-ends" aria-hidden="true">
        <span>{figure(lowest)}</span>
        <span class="attribute-meaning">{valueWords(value.value, attribute)}</span>
        <span>{figure(highest)}</span>
      </span>
      {title && (
        <span class="fine attribute-note" id={`${id}-note`}>
          {title}
        </span>
      )}
      {certainty !== undefined && (
        <span class="fine certainty">
          {certainty > 0 ? `not given: read, ${percentInWords(certainty)} sure` : 'not known'}
        </span>
      )}
    </div>
  );
}
