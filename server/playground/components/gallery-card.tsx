import { kindOf } from '../state/classes.js';
import { percentInWords } from '../state/figures.js';
import type { GalleryPicture } from '../state/gallery.js';
import { likeliest } from '../state/gallery-view.js';
import { choosePicture, chosen } from '../state/picture.js';
import { inWords } from '../state/problem-words.js';
import { KindMark } from './kind-mark.js';
import { PictureImage } from './picture-image.js';

const noPicture = <span class="card-none">no picture</span>;

/** Choosing one shows its whole answer above. */
export function GalleryCard({ picture }: { readonly picture: GalleryPicture }) {
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
            : (first?.class ?? 'No class is likely enough')}
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
