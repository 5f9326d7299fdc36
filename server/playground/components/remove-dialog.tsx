import { useState } from 'preact/hooks';
import type { UnseenProblem } from '../../../client/index.js';
import { asProblem } from '../state/api.js';
import { loadClasses, type ListedClass } from '../state/classes.js';
import { notify } from '../state/notices.js';
import { removeClass, removing } from '../state/removing.js';
import { Dialog } from './dialog.js';
import { ProblemNotice } from './problem-notice.js';

export function RemoveDialog() {
  const known = removing.value;
  return known && <OpenRemoveDialog key={known.name} known={known} />;
}

function OpenRemoveDialog({ known }: { readonly known: ListedClass }) {
  const [isRemoving, setRemoving] = useState(false);
  const [problem, setProblem] = useState<UnseenProblem | null>(null);
  const close = (): void => {
    removing.value = null;
  };
  const remove = async (): Promise<void> => {
    setRemoving(true);
    setProblem(null);
    try {
      await removeClass(known);
      close();
      notify(`${known.name} is removed.`);
    } catch (error) {
      setProblem(asProblem(error));
      void loadClasses(); // whatever is in the way, the list should show it
    } finally {
      setRemoving(false);
    }
  };
  return (
    <Dialog label={`Remove ${known.name}`} class="dialog-small" close={close}>
      <h2>Remove {known.name}?</h2>
      <p>
        Pictures will no longer be recognised as this class. “unseen classes restore” brings it back within a
        month.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="button button-main" disabled={isRemoving} onClick={() => void remove()}>
          {isRemoving ? 'Removing' : 'Remove'}
        </button>
      </div>
    </Dialog>
  );
}
