import { useMemo, useState } from 'preact/hooks';
import { narrowFamilies } from '../state/attribute-families.js';
import type { ClassDraft } from '../state/class-draft.js';
import { counted } from '../state/figures.js';
import { attributeFamilies } from '../state/model.js';
import { FamilyFields } from './family-fields.js';
import { SearchField } from './search-field.js';

/** More matching families than this are not opened at once: the first letter of a filter matches nearly everything. */
const openedAtOnce = 60;

/**
 * Every attribute of the model, by family. There may be hundreds: families fold, a filter finds them, and the list can be limited to changed ones.
 * Nothing here reads their values, so that a slider that is moved draws its own row and family again and no other.
 */
export function AttributeFields({ draft }: { readonly draft: ClassDraft }) {
  const [filter, setFilter] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const all = attributeFamilies.value;
  const kept = onlyChanged ? draft.changed.value : null;
  const shown = useMemo(() => narrowFamilies(all, filter.trim(), kept), [all, filter, kept]);
  const isNarrowed = filter.trim() !== '' || onlyChanged;
  const count = shown.reduce((sum, { attributes }) => sum + attributes.length, 0);
  const startOpen = isNarrowed && count <= openedAtOnce;
  return (
    <fieldset class="attributes">
      <legend>Attributes</legend>
      <div class="attributes-tools">
        <SearchField
          label="Filter attributes"
          placeholder="Filter"
          value={filter}
          change={setFilter}
          autofocus={draft.editing !== null} // a new class has a name to begin with
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
        <ChangeCount draft={draft} />
      </div>
      <p class="fine attributes-legend">
        Sliders go from the lowest to the highest value of a class in training. Up to 1, values are shares.
      </p>
      {shown.length === 0 && <div class="placeholder">No attributes match.</div>}
      <div class="attributes-list" inert={draft.doing.value === 'reading'}>
        {shown.map((family) => (
          // Another key where that changes, so that families are mounted again instead of rendering folded ones right away.
          <FamilyFields
            key={`${startOpen} ${family.name}`}
            family={family}
            draft={draft}
            startsOpen={startOpen}
          />
        ))}
      </div>
    </fieldset>
  );
}

function ChangeCount({ draft }: { readonly draft: ClassDraft }) {
  return (
    <p class="fine" role="status">
      {counted(draft.changed.value.size, 'change')}
    </p>
  );
}
