import { useEffect, useRef, useState } from 'preact/hooks';
import { choosePicture, chosen } from '../state/picture.js';
import { SampleStrip } from './sample-strip.js';
import { acceptFile, watchPasteAndDrop } from './paste-and-drop.js';

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
      {picture && <img class="drop-picture" src={picture.address} alt={`Chosen: ${picture.name}`} />}
      <div class="drop-words">
        <input
          ref={input}
          id="file"
          class="visually-hidden"
          type="file"
          accept="image/jpeg,image/png,image/webp"
          onChange={({ currentTarget }) => {
            acceptFile(currentTarget.files?.[0], choosePicture);
            currentTarget.value = ''; // the same file again is a choice, too
          }}
        />
        <label class="button" for="file">
          {picture ? 'Another picture' : 'Choose a picture'}
        </label>
        <p>{picture ? picture.name : 'or drop or paste one, anywhere on this page'}</p>
      </div>
    </div>
  );
}
