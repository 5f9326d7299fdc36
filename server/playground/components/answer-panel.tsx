import { useState } from 'preact/hooks';
import type { ClassifyResponse } from '../../../client/index.js';
import { addClass } from '../state/class-draft.js';
import { kindOf } from '../state/classes.js';
import { restriction, restrictionWords } from '../state/may-answer.js';
import { percentInWords } from '../state/figures.js';
import { model, modelProblem, fetchModel } from '../state/model.js';
import { answer, chosen, classify, isAsking, pictureProblem } from '../state/picture.js';
import { CopyButtons } from './copy-buttons.js';
import { BalanceNote, BalanceSlider } from './balance-slider.js';
import { CorrectionForm } from './correction.js';
import { allKinds, explainKind, KindMark } from './kind-mark.js';
import { MayAnswerChoice, RolledUp } from './may-answer.js';
import { PredictionList } from './prediction-list.js';
import { ProblemNotice } from './problem-notice.js';
import { knownByWords, Reasons } from './reasons.js';

export function AnswerPanel() {
  return (
    <section
      class="panel answer-panel"
      id="answer"
      tabIndex={-1}
      aria-labelledby="answer-title"
      aria-busy={isAsking.value}
    >
      <h2 id="answer-title">Answer</h2>
      <AnswerBody />
    </section>
  );
}

function AnswerBody() {
  if (modelProblem.value && !model.value)
    return <ProblemNotice problem={modelProblem.value} retry={fetchModel} />;
  if (pictureProblem.value)
    return (
      <>
        <ProblemNotice problem={pictureProblem.value} retry={classify} />
        {/* One of the classes may be gone: then this is the way out. */}
        {Object.keys(restriction.value).length > 0 && <MayAnswerChoice />}
      </>
    );
  if (answer.value) return <WholeAnswer answer={answer.value} />;
  if (chosen.value)
    return (
      <div class="placeholder" data-busy>
        Looking at the picture
      </div>
    );
  return <Welcome />;
}

function Welcome() {
  return (
    <div class="welcome">
      <p>Show it a picture: the likeliest classes appear here, and what the model has read from it.</p>
      <dl>
        {allKinds.map((kind) => (
          <div key={kind}>
            <dt>
              <KindMark kind={kind} />
            </dt>
            <dd>{explainKind(kind)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Verdict({
  answer: { predictions, explanation, verdict, novelty },
}: {
  readonly answer: ClassifyResponse;
}) {
  const first = predictions.at(0);
  if (!first)
    return (
      <div class="verdict">
        <p class="verdict-name">No class is likely enough</p>
        <p class="verdict-kind">{restrictionWords()}</p>
      </div>
    );
  const kind = kindOf(first);
  const grounds = explanation?.classes.find((one) => one.class === first.class)?.restsOn;
  return (
    <div class={`verdict verdict-${kind}`} data-busy={isAsking.value}>
      <p class="verdict-name">
        {first.class} <span class="verdict-share">{percentInWords(first.probability)}</span>
      </p>
      <p class="verdict-kind">
        {kind}: {grounds ? knownByWords(kind, grounds) : explainKind(kind)}
      </p>
      {verdict === 'unknown' && (
        <p class="verdict-unknown">
          <strong>Probably none of the known classes</strong>: it looks newer than{' '}
          {percentInWords(novelty ?? 1)} of the pictures of known classes. {first.class} is the nearest.
        </p>
      )}
      {verdict === 'unsure' && <p class="verdict-kind">Not sure: no class reaches 50 %.</p>}
    </div>
  );
}

function WholeAnswer({ answer: found }: { readonly answer: ClassifyResponse }) {
  const { predictions, explanation } = found;
  const [wanted, setWanted] = useState<string | null>(null);
  const selected = predictions.some((prediction) => prediction.class === wanted)
    ? wanted!
    : (predictions.at(0)?.class ?? '');
  return (
    <>
      <Verdict answer={found} />
      {model.value && <BalanceNote range={model.value.unseenBias} />}
      <PredictionList predictions={predictions} selected={selected} select={setWanted} />
      {found.rollUp && <RolledUp rollUp={found.rollUp} />}
      <p class="answer-actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            addClass();
          }}
        >
          None of these? Describe its class
        </button>
        <CopyButtons />
      </p>
      <MayAnswerChoice />
      <CorrectionForm />
      {model.value && <BalanceSlider range={model.value.unseenBias} />}
      {explanation && <Reasons explanation={explanation} selected={selected} />}
    </>
  );
}
