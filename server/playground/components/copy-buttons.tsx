import { asCurl, asTypeScript } from '../state/as-code.js';
import { copyText } from '../state/copy-text.js';
import { notify } from '../state/notices.js';

/** The same question for other programs to ask. */
export function CopyButtons() {
  const copy = (words: string, text: string) => async (): Promise<void> => {
    notify(
      (await copyText(text))
        ? `Copied as ${words}.`
        : `This browser does not allow the page to copy. ${text}`,
    );
  };
  return (
    <>
      <button type="button" class="link" onClick={() => void copy('curl', asCurl())()}>
        Copy as curl
      </button>
      <button type="button" class="link" onClick={() => void copy('TypeScript', asTypeScript())()}>
        Copy as TypeScript
      </button>
    </>
  );
}
