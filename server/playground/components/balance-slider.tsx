import type { AttributesResponse } from '../../../client/index.js';
import { place, resolution, rounded } from '../state/figures.js';
import { moveBalance, unseenBias } from '../state/picture.js';

/** How much unseen classes are favoured. The model's own balance, chosen in training, is marked. */
export function BalanceSlider({ range }: { readonly range: AttributesResponse['unseenBias'] }) {
  const { minimum, maximum, default: usual } = range;
  const value = unseenBias.value ?? usual;
  const isMoved = unseenBias.value !== null;
  return (
    <div class="balance">
      <label for="balance">Balance between seen and unseen classes</label>
      <div class="balance-track">
        <input
          id="balance"
          type="range"
          min={minimum}
          max={maximum}
          step="any"
          value={value}
          aria-valuetext={describeBalance(value, range, isMoved)}
          onInput={({ currentTarget }) => {
            const to = rounded(currentTarget.valueAsNumber, resolution(minimum, maximum));
            moveBalance(Math.min(maximum, Math.max(minimum, to)));
          }}
        />
        <span
          class="balance-usual"
          aria-hidden="true"
          style={{ '--place': place(usual, minimum, maximum) }}
        />
      </div>
      <div class="balance-ends">
        <span>more seen</span>
        <button
          type="button"
          class="link"
          disabled={!isMoved}
          onClick={() => {
            moveBalance(null);
          }}
        >
          {isMoved ? 'back to the model’s own' : 'the model’s own'}
        </button>
        <span>more unseen</span>
      </div>
    </div>
  );
}

/** Beside the answer, since the slider itself may be out of sight. */
export function BalanceNote({ range }: { readonly range: AttributesResponse['unseenBias'] }) {
  const value = unseenBias.value;
  if (value === null) return null;
  return (
    <p class="balance-note" role="note">
      The balance is moved towards {value < range.default ? 'seen' : 'unseen'} classes: this is not the
      model’s own answer.{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          moveBalance(null);
        }}
      >
        Reset the balance
      </button>
    </p>
  );
}

function describeBalance(
  value: number,
  { minimum, maximum, default: usual }: AttributesResponse['unseenBias'],
  isMoved: boolean,
): string {
  if (!isMoved) return 'the model’s own';
  const share = Math.round(place(value, minimum, maximum) * 100);
  return `${share} of 100, ${value < usual ? 'more seen' : 'more unseen'} than the model’s own`;
}
