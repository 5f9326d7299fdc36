import type { ClassifyResponse } from '../../../client/index.js';
import { kindOf } from '../state/classes.js';
import { percentInWords } from '../state/figures.js';
import { isAsking } from '../state/picture.js';
import { KindMark } from './kind-mark.js';

type Prediction = ClassifyResponse['predictions'][number];

interface Properties {
  readonly predictions: readonly Prediction[];
  readonly selected: string;
  readonly select: (name: string) => void;
}

/** Choosing one shows what speaks for and against it. */
export function PredictionList({ predictions, selected, select }: Properties) {
  return (
    <ol class="predictions" aria-label="Likeliest classes" data-busy={isAsking.value}>
      {predictions.map((prediction) => (
        <li key={prediction.class}>
          <button
            type="button"
            class={`prediction prediction-${kindOf(prediction)}`}
            aria-pressed={prediction.class === selected}
            onClick={() => {
              select(prediction.class);
            }}
          >
            <span class="prediction-name">{prediction.class}</span>
            <KindMark kind={kindOf(prediction)} />
            <span class="prediction-share">{percentInWords(prediction.probability)}</span>
            <span class="bar" aria-hidden="true">
              <span class="bar-fill" style={{ inlineSize: `${prediction.probability * 100}%` }} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
