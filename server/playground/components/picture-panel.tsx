import { useEffect, useRef, useState } from 'preact/hooks';
import { chosen } from '../state/picture.js';
import { PictureImage } from './picture-image.js';
import { SampleStrip } from './sample-strip.js';
import { acceptFiles, watchPasteAndDrop } from './paste-and-drop.js';

/** A picture is dropped or pasted anywhere on the page, or picked here. */
export function PicturePanel() {
  const [isOver, setOver] = useState(false);
  useEffect(() => watchPasteAndDrop(setOver), []);
  return (
    <section class="panel picture-panel" aria-labelledby="picture-title">
      <h2 id="picture-title">Picture</h2>
      <PictureField isOver={isOver} />
      <SampleStrip />
    </section>
  );
}

function PictureField({ isOver }: { readonly isOver: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const picture = chosen.value;
  return (
    <div class="drop" data-over={isOver} data-filled={picture !== null}>
      {picture && (
        <PictureImage
          class="drop-picture"
          address={picture.address}
          alt={`Chosen: ${picture.name}`}
          otherwise={<p class="drop-none">This file cannot be shown.</p>}
        />
      )}
      <div class="drop-words">
        <input
          ref={input}
          id="file"
          class="visually-hidden"
          type="file"
          multiple
          accept="image/jpeg,image/png,image/webp"
          onChange={({ currentTarget }) => {
            acceptFiles(currentTarget.files ?? []);
            currentTarget.value = ''; // the same file again is a choice, too
          }}
        />
        <label class="button" for="file">
          {picture && !picture.isGreeting ? 'Another picture' : 'Choose a picture'}
        </label>
        <p>
          {!picture
            ? 'or drop or paste one or more, anywhere on this page'
            : picture.isGreeting
              ? `A sample: ${picture.name}. Or drop your own, one or more.`
              : picture.name}
        </p>
      </div>
    </div>
  );
}
