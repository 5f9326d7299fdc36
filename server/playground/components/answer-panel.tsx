import { useState } from 'preact/hooks';
import type { ClassifyResponse } from '../../../client/index.js';
import { addClass } from '../state/class-draft.js';
import { kindOf } from '../state/classes.js';
import { percent } from '../state/figures.js';
import { model, modelProblem, loadModel } from '../state/model.js';
import { answer, chosen, classify, isAsking, pictureProblem } from '../state/picture.js';
import { BalanceSlider } from './balance-slider.js';
import { explainKind } from './kind-mark.js';
import { PredictionList } from './prediction-list.js';
import { ProblemNotice } from './problem-notice.js';
import { Reasons } from './reasons.js';

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
      {model.value && <BalanceSlider range={model.value.unseenBias} />}
      {answer.value && <WhyAnswer answer={answer.value} />}
    </section>
  );
}

function AnswerBody() {
  if (modelProblem.value && !model.value)
    return <ProblemNotice problem={modelProblem.value} retry={loadModel} />;
  if (pictureProblem.value) return <ProblemNotice problem={pictureProblem.value} retry={classify} />;
  if (answer.value) return <Verdict answer={answer.value} />;
  if (chosen.value)
    return (
      <div class="placeholder" data-busy>
        Looking at the picture
      </div>
    );
  return <div class="placeholder">The likeliest classes appear here once there is a picture.</div>;
}

function Verdict({ answer: { predictions } }: { readonly answer: ClassifyResponse }) {
  const [first] = predictions;
  const kind = kindOf(first);
  return (
    <div class={`verdict verdict-${kind}`} data-busy={isAsking.value}>
      <p class="verdict-name">
        {first.class} <span class="verdict-share">{percent(first.probability)}</span>
      </p>
      <p class="verdict-kind">
        {kind}: {explainKind(kind)}
      </p>
    </div>
  );
}

function WhyAnswer({ answer: { predictions, explanation } }: { readonly answer: ClassifyResponse }) {
  const [wanted, setWanted] = useState<string | null>(null);
  const selected = predictions.some((prediction) => prediction.class === wanted)
    ? wanted!
    : predictions[0].class;
  return (
    <>
      <PredictionList predictions={predictions} selected={selected} select={setWanted} />
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
      </p>
      {explanation && <Reasons explanation={explanation} selected={selected} />}
    </>
  );
}
