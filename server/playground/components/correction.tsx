import { useState } from 'preact/hooks';
import type { ClassifyResponse } from '../../../client/index.js';
import { classes } from '../state/classes.js';
import {
  correct,
  correction,
  correctionProblem,
  isCorrecting,
  isKnownClass,
  takeBack,
} from '../state/correction.js';
import { percentInWords } from '../state/figures.js';
import { ProblemNotice } from './problem-notice.js';

/** The picture on screen as an example of a class: of one that is known, or of a new one. */
export function CorrectionForm() {
  const [name, setName] = useState('');
  const wanted = name.trim();
  const isNew = wanted !== '' && !isKnownClass(wanted);
  const submit = async (): Promise<void> => {
    await correct(wanted);
    if (!correctionProblem.value) setName('');
  };
  return (
    <form
      class="correction"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== '') void submit();
      }}
    >
      <label class="field">
        This is in fact
        <input
          type="text"
          list="known-classes"
          autocomplete="off"
          maxLength={200}
          placeholder="a class, or a new name"
          value={name}
          aria-describedby="correction-words"
          onInput={({ currentTarget }) => {
            setName(currentTarget.value);
          }}
        />
      </label>
      <datalist id="known-classes">
        {classes.value?.map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
      <button type="submit" class="button" disabled={wanted === '' || isCorrecting.value}>
        {isCorrecting.value ? 'Learning it' : isNew ? 'Add as a new class' : 'Add as an example'}
      </button>
      <p class="fine" id="correction-words">
        {isNew
          ? 'No class has this name yet. It is created from this picture alone; you can add more pictures, and attributes, later.'
          : 'The class learns from this picture at once. What the network makes of it is stored, not the picture.'}
      </p>
      {correctionProblem.value && <ProblemNotice problem={correctionProblem.value} />}
      <BeforeAndAfter />
    </form>
  );
}

function BeforeAndAfter() {
  const done = correction.value;
  return (
    <div role="status" aria-label="Before and after">
      {done && (
        <>
          <p>
            {done.id === null && !done.isNew
              ? `${done.name} had this picture already.`
              : `${done.name} has this picture now.`}
          </p>
          <dl class="before-and-after">
            <dt>Before</dt>
            <dd>{summary(done.before, done.name)}</dd>
            <dt>Now</dt>
            <dd>{summary(done.after, done.name)}</dd>
          </dl>
          {(done.isNew || done.id !== null) && (
            <button type="button" class="link" disabled={isCorrecting.value} onClick={() => void takeBack()}>
              Undo
            </button>
          )}
        </>
      )}
    </div>
  );
}

/** The likeliest class, and the one in question where that is another. */
function summary({ predictions }: ClassifyResponse, name: string): string {
  const [first] = predictions;
  const own = predictions.find((one) => one.class === name);
  const words = `${first.class} ${percentInWords(first.probability)}`;
  if (first.class === name) return words;
  return `${words}; ${name} ${own ? percentInWords(own.probability) : `not among the first ${predictions.length}`}`;
}
