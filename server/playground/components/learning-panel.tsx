import { useRef, useState } from 'preact/hooks';
import { counted } from '../state/figures.js';
import {
  adaptations,
  learnFrom,
  learning,
  learningProblem,
  loadAdaptations,
  undoLearning,
  unusableFiles,
} from '../state/learning.js';
import { withDroppedFiles } from './dropped-files.js';
import { LearningPreview } from './learning-preview.js';
import { ProblemNotice } from './problem-notice.js';

/** A folder of unlabelled pictures is dropped or picked here; the rest of the page is for single pictures. */
export function LearningPanel() {
  const { step } = learning.value;
  return (
    <section class="panel learning-panel" aria-labelledby="learning-title" data-drop>
      <details
        onToggle={({ currentTarget }) => {
          if (currentTarget.open && adaptations.peek() === null) void loadAdaptations();
        }}
      >
        <summary>
          <h2 id="learning-title">Learn from pictures</h2>
          <span class="fine">
            Unlabelled pictures show the model what its unseen classes really look like.
          </span>
        </summary>
        <PicturesField isBusy={step === 'sending' || step === 'asking' || step === 'committing'} />
        <Progress />
        {learningProblem.value && <ProblemNotice problem={learningProblem.value} />}
        {unusableFiles.value.length > 0 && (
          <details class="learning-list">
            <summary>{counted(unusableFiles.value.length, 'file')} cannot be used</summary>
            <ul>
              {unusableFiles.value.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </details>
        )}
        {(step === 'shown' || step === 'committing') && <LearningPreview />}
        <InForce />
      </details>
    </section>
  );
}

function PicturesField({ isBusy }: { readonly isBusy: boolean }) {
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement): void => {
    void learnFrom(Array.from(input.files ?? []));
    input.value = '';
  };
  return (
    <div
      class="learning-drop"
      data-over={isOver}
      onDragOver={() => {
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!isBusy) void withDroppedFiles(event.dataTransfer, learnFrom);
      }}
    >
      <p>
        Drop a folder of more than a hundred pictures here. The server keeps what its network makes of them
        until you are done, never the pictures.
      </p>
      <input
        ref={files}
        id="unlabelled-files"
        class="visually-hidden"
        type="file"
        accept="image/jpeg,image/png,image/webp"
        multiple
        tabIndex={-1}
        aria-label="Unlabelled pictures"
        onChange={({ currentTarget }) => {
          take(currentTarget);
        }}
      />
      <input
        ref={(element) => {
          folder.current = element;
          element?.setAttribute('webkitdirectory', '');
        }}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Folder of unlabelled pictures"
        onChange={({ currentTarget }) => {
          take(currentTarget);
        }}
      />
      <div class="learning-actions">
        <button type="button" class="button" disabled={isBusy} onClick={() => folder.current?.click()}>
          Choose a folder
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={() => files.current?.click()}>
          Choose pictures
        </button>
      </div>
    </div>
  );
}

function Progress() {
  const { value } = learning;
  if (value.step === 'idle' || value.step === 'shown') return null;
  return (
    <div class="learning-progress">
      <label for="learning-progress">
        {value.step === 'sending'
          ? `Sending pictures: ${value.sent} of ${value.total}`
          : value.step === 'asking'
            ? 'Finding out what can be learnt'
            : 'Learning'}
      </label>
      {value.step === 'sending' ? (
        <progress id="learning-progress" max={value.total} value={value.sent} />
      ) : (
        <progress id="learning-progress" />
      )}
    </div>
  );
}

/** What pictures are answered with at the moment, beyond training. */
function InForce() {
  const active = adaptations.value?.find((one) => one.active);
  if (!active)
    return adaptations.value ? <p class="fine">Nothing has been learnt from pictures so far.</p> : null;
  return (
    <div class="learning-in-force">
      <p>
        Learnt from {counted(active.pictures, 'picture')} on {new Date(active.at).toLocaleString()}:{' '}
        {counted(active.movedClasses, 'class', 'classes')} moved.
      </p>
      <button type="button" class="button" onClick={() => void undoLearning(active)}>
        Undo what was learnt
      </button>
    </div>
  );
}
