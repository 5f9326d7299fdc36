import { useState } from 'preact/hooks';
import { matchesFilter } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { counted } from '../state/figures.js';
import { families } from '../state/model.js';
import { FamilyFields } from './family-fields.js';

/** Every attribute of the model, by family. There may be hundreds: families fold, a filter finds, changed ones can be kept. */
export function AttributeFields({ draft }: { readonly draft: ClassDraft }) {
  const [filter, setFilter] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const changed = Array.from(draft.values.keys()).filter((name) => draft.isChanged(name)).length;
  const isNarrowed = filter.trim() !== '' || onlyChanged;
  const shown = families.value
    .map((family) => ({
      ...family,
      attributes: family.attributes.filter(
        (one) => matchesFilter(one, filter.trim()) && (!onlyChanged || draft.isChanged(one.name)),
      ),
    }))
    .filter(({ attributes }) => attributes.length > 0);
  return (
    <fieldset class="attributes" disabled={draft.doing.value === 'reading'}>
      <legend>Attributes</legend>
      <div class="attributes-tools">
        <input
          type="search"
          aria-label="Filter attributes"
          placeholder="Filter"
          value={filter}
          onInput={({ currentTarget }) => {
            setFilter(currentTarget.value);
          }}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={({ currentTarget }) => {
              setOnlyChanged(currentTarget.checked);
            }}
          />
          only changed
        </label>
        <p class="fine" role="status">
          {counted(changed, 'change')}
        </p>
      </div>
      {shown.length === 0 && <div class="placeholder">No attribute fits.</div>}
      {shown.map((family) => (
        <FamilyFields key={family.name} family={family} draft={draft} isOpened={isNarrowed} />
      ))}
    </fieldset>
  );
}
