import { draft, type ClassDraft } from '../state/class-draft.js';
import { percentInWords } from '../state/figures.js';
import { notify } from '../state/notices.js';
import { answer, chosen } from '../state/picture.js';
import { AttributeFields } from './attribute-fields.js';
import { ConfusionPreview } from './confusion-preview.js';
import { Dialog } from './dialog.js';
import { EditorPictures } from './editor-pictures.js';
import { EditorProblem } from './editor-problem.js';
import { StartChoice } from './start-choice.js';

export function ClassEditor() {
  const open = draft.value;
  return open && <OpenEditor draft={open} />;
}

function OpenEditor({ draft: open }: { readonly draft: ClassDraft }) {
  const { editing, name, doing, preview, doubt } = open;
  const close = (): void => {
    draft.value = null;
  };
  const submit = async (): Promise<void> => {
    if (!preview.value) {
      await open.check();
      return;
    }
    if (!(await open.save())) return;
    close();
    notify(savedWords(name.value.trim()));
  };
  const title = editing === null ? 'Add a class' : `Edit ${editing}`;
  return (
    <Dialog label={title} class="editor" close={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!doing.value) void submit();
        }}
      >
        <header class="editor-head">
          <h2>{title}</h2>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </header>
        <div class="editor-body">
          {editing === null && (
            <div class="editor-basics">
              <label class="field">
                Name
                <input
                  type="text"
                  required
                  autofocus
                  maxLength={200}
                  autocomplete="off"
                  value={name.value}
                  onInput={({ currentTarget }) => {
                    name.value = currentTarget.value;
                  }}
                />
              </label>
              <StartChoice draft={open} />
            </div>
          )}
          <EditorPictures draft={open} />
          <AttributeFields draft={open} />
        </div>
        <footer class="editor-foot">
          {preview.value && <ConfusionPreview preview={preview.value} doubt={doubt.value} />}
          <EditorProblem draft={open} />
          <div class="dialog-actions">
            <p class="fine">
              {preview.value
                ? ''
                : 'It is tried out first: nothing is stored until you have seen what it would be confused with.'}
            </p>
            <button
              type="submit"
              class="button button-main"
              disabled={name.value.trim() === '' || doing.value !== null}
            >
              {submitWords(open)}
            </button>
          </div>
        </footer>
      </form>
    </Dialog>
  );
}

function submitWords({ doing, preview, doubt }: ClassDraft): string {
  if (doing.value === 'reading') return 'Reading';
  if (doing.value === 'checking') return 'Trying it out';
  if (doing.value === 'saving') return 'Saving';
  if (!preview.value) return 'Try it out';
  return doubt.value ? 'Save anyway' : 'Save';
}

/** What became of the picture that is shown, now that the class is there. */
function savedWords(name: string): string {
  const first = answer.value?.predictions[0];
  if (!first || !chosen.value) return `${name} is saved and recognised from now on.`;
  return `${name} is saved. The picture is now read as ${first.class}, ${percentInWords(first.probability)}.`;
}
