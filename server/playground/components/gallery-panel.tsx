import { useEffect, useRef } from 'preact/hooks';
import { kindOf } from '../state/classes.js';
import { saveFile } from '../state/save-file.js';
import { counted, percentInWords } from '../state/figures.js';
import { answeredCount, clearGallery, gallery, type GalleryPicture } from '../state/gallery.js';
import { galleryTable } from '../state/gallery-table.js';
import {
  filterText,
  likeliest,
  order,
  shownOnly,
  shownPictures,
  type Order,
  type Shown,
} from '../state/gallery-view.js';
import { choosePicture, chosen } from '../state/picture.js';
import { inWords } from '../state/problem-words.js';
import { KindMark } from './kind-mark.js';
import { MissingClasses } from './missing-classes.js';
import { PictureImage } from './picture-image.js';
import { SearchField } from './search-field.js';

const orders: Readonly<Record<Order, string>> = {
  added: 'as they came',
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
      <ul class="gallery-grid" aria-labelledby="gallery-title">
        {shownPictures.value.map((picture) => (
          <li key={picture.id}>
            <Card picture={picture} />
          </li>
        ))}
      </ul>
      {shownPictures.value.length === 0 && <p class="fine">No picture fits.</p>}
      <MissingClasses />
    </section>
  );
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

const noPicture = <span class="card-none">no picture</span>;

/** Choosing one shows its whole answer above. */
function Card({ picture }: { readonly picture: GalleryPicture }) {
  const { name, address, answer, problem, content, isWaiting } = picture;
  const first = likeliest(picture);
  return (
    <button
      type="button"
      class="card"
      aria-pressed={chosen.value?.content === content}
      aria-busy={isWaiting}
      onClick={() => {
        void choosePicture(content, name);
        document.getElementById('answer')?.scrollIntoView({ block: 'nearest' });
      }}
    >
      {problem?.code.startsWith('image-') ? (
        noPicture
      ) : (
        <PictureImage address={address} alt="" otherwise={noPicture} />
      )}
      <span class="card-class">
        {problem
          ? inWords(problem).title
          : !answer
            ? 'Looking …'
            : (first?.class ?? 'No class is that likely')}
      </span>
      {first && (
        <span class="card-share">
          {percentInWords(first.probability)} <KindMark kind={kindOf(first)} />
        </span>
      )}
      {answer?.verdict === 'unknown' && <span class="card-verdict">none of the classes?</span>}
      {answer?.verdict === 'unsure' && <span class="card-verdict">not sure</span>}
      <span class="card-name">{name}</span>
    </button>
  );
}
