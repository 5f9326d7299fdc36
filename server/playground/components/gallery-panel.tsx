import { useEffect, useRef } from 'preact/hooks';
import { mayAnswer, leastPercent, restrictionWords } from '../state/may-answer.js';
import { unseenBias } from '../state/picture.js';
import { saveFile } from '../state/save-file.js';
import { counted } from '../state/figures.js';
import { answeredCount, clearGallery, gallery } from '../state/gallery.js';
import { galleryTable } from '../state/gallery-table.js';
import {
  filterText,
  order,
  shownOnly,
  shownPictures,
  type Order,
  type Shown,
} from '../state/gallery-view.js';
import { GalleryCard } from './gallery-card.js';
import { MissingClasses } from './missing-classes.js';
import { SearchField } from './search-field.js';

const orders: Readonly<Record<Order, string>> = {
  added: 'in the order added',
  name: 'by name',
  class: 'by class',
  'most-confident': 'most confident first',
  'least-confident': 'least confident first',
};

const shownWords: Readonly<Record<Shown, string>> = {
  all: 'all answers',
  seen: 'seen classes',
  unseen: 'unseen classes',
  added: 'added classes',
  unsure: 'not sure',
  unknown: 'none of the classes',
  problem: 'no answer',
};

/** Several pictures at once: a grid of answers, and the table of them. */
export function GalleryPanel() {
  const [all, done] = [gallery.value.length, answeredCount.value];
  const panel = useRef<HTMLElement>(null);
  // It is far below what was there: without this nothing seems to happen to the pictures that were given.
  useEffect(() => panel.current?.scrollIntoView({ block: 'start' }), [all]);
  if (all === 0) return null;
  return (
    <section ref={panel} class="panel gallery" aria-labelledby="gallery-title" aria-busy={done < all}>
      <div class="gallery-head">
        <h2 id="gallery-title">Pictures</h2>
        <p role="status" aria-label="Answered">
          {done < all ? `${done} of ${all} answered` : counted(all, 'picture')}
        </p>
        <SearchField
          label="Filter pictures"
          placeholder="Class or file name"
          value={filterText.value}
          change={(text) => {
            filterText.value = text;
          }}
        />
        <Choice
          label="Which answers are shown"
          words={shownWords}
          value={shownOnly.value}
          choose={(value) => {
            shownOnly.value = value;
          }}
        />
        <Choice
          label="Order of the pictures"
          words={orders}
          value={order.value}
          choose={(value) => {
            order.value = value;
          }}
        />
        <button
          type="button"
          class="button"
          disabled={done === 0}
          onClick={() => {
            saveFile('answers.csv', 'text/csv', galleryTable(shownPictures.value));
          }}
        >
          Save as CSV
        </button>
        <button type="button" class="link" onClick={clearGallery}>
          Remove all
        </button>
      </div>
      <AskedFor />
      <ul class="gallery-grid" aria-labelledby="gallery-title">
        {shownPictures.value.map((picture) => (
          <li key={picture.id}>
            <GalleryCard picture={picture} />
          </li>
        ))}
      </ul>
      {shownPictures.value.length === 0 && <p class="fine">No pictures match.</p>}
      <MissingClasses />
    </section>
  );
}

/** Where it is set may be out of sight. */
function AskedFor() {
  const isRestricted = Object.keys(mayAnswer.value).length > 0 || leastPercent.value > 0;
  const words = [
    ...(isRestricted ? [restrictionWords()] : []),
    ...(unseenBias.value === null ? [] : ['The balance is not the model’s own.']),
  ];
  return words.length > 0 ? <p class="fine">{words.join(' ')}</p> : null;
}

function Choice<Value extends string>(properties: {
  readonly label: string;
  readonly words: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly choose: (value: Value) => void;
}) {
  const { label, words, value, choose } = properties;
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        choose(currentTarget.value as Value);
      }}
    >
      {Object.entries<string>(words).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
