import { useEffect, useState } from 'preact/hooks';
import { maxPictures, type ClassDraft, type DraftPicture } from '../state/class-draft.js';
import { counted } from '../state/figures.js';
import { PictureImage } from './picture-image.js';

/** Pictures that become examples of the class: chosen here, or dropped or pasted anywhere while the editor is open. */
export function EditorPictures({ draft }: { readonly draft: ClassDraft }) {
  const pictures = draft.pictures.value;
  return (
    <div class="editor-pictures">
      <input
        id="example-files"
        class="visually-hidden"
        type="file"
        multiple
        accept="image/jpeg,image/png,image/webp"
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? []);
          currentTarget.value = ''; // the same files again are a choice, too
          void draft.addPictures(files);
        }}
      />
      <label class="button" for="example-files">
        Add pictures of it
      </label>
      <p class="fine" role="status" aria-label="Pictures">
        {pictures.length === 0
          ? `or drop them here, up to ${maxPictures}. ${whatBecomesOfValues(draft)}`
          : `${counted(pictures.length, 'picture')} of it. ${whatBecomesOfValues(draft)}`}
      </p>
      {pictures.length > 0 && (
        <ul class="thumbnails" aria-label="Pictures of the class">
          {pictures.map((picture) => (
            <Thumbnail key={picture} picture={picture} draft={draft} />
          ))}
        </ul>
      )}
    </div>
  );
}

function whatBecomesOfValues({ editing }: ClassDraft): string {
  return editing === null
    ? 'Attributes that you do not change are read from them.'
    : 'The values below stay as they are.';
}

function Thumbnail({ picture, draft }: { readonly picture: DraftPicture; readonly draft: ClassDraft }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(picture.picture);
    setAddress(made);
    return () => {
      URL.revokeObjectURL(made);
    };
  }, [picture]);
  return (
    <li>
      {address !== '' && (
        <PictureImage
          address={address}
          alt={picture.name}
          otherwise={<span class="thumbnail-none">{picture.name} is not a picture</span>}
        />
      )}
      <button
        type="button"
        class="link"
        aria-label={`Remove ${picture.name}`}
        onClick={() => void draft.removePicture(picture)}
      >
        ×
      </button>
    </li>
  );
}
