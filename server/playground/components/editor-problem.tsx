import { draft, editClass, type ClassDraft } from '../state/class-draft.js';
import { classes } from '../state/classes.js';
import { ProblemNotice } from './problem-notice.js';

/** With what can be done about it: a class that others changed is read again, one that exists can be edited instead. */
export function EditorProblem({ draft: open }: { readonly draft: ClassDraft }) {
  const problem = open.problem.value;
  if (!problem) return null;
  const name = open.name.value.trim();
  const isEditable = classes.value?.some((one) => one.name === name && one.runtime) ?? false;
  return (
    <ProblemNotice problem={problem}>
      {problem.code === 'precondition-failed' && open.editing !== null && (
        <button type="button" class="button" onClick={() => void open.read(open.editing!)}>
          Reload it, without my changes
        </button>
      )}
      {problem.code === 'conflict' && open.editing === null && isEditable && (
        <button
          type="button"
          class="button"
          onClick={() => {
            draft.value = null;
            editClass(name);
          }}
        >
          Edit {name} instead
        </button>
      )}
    </ProblemNotice>
  );
}
