import { useEffect, useRef } from 'preact/hooks';
import type { ClassPreview } from '../state/class-draft.js';
import { figure, percentInWords } from '../state/figures.js';
import { plainWords } from '../state/plain-words.js';

const shown = 4;

/** What the dry run expects: how often it would be recognised, and what it would be taken for instead. */
export function ConfusionPreview(properties: {
  readonly preview: ClassPreview;
  readonly isDoubtful: boolean;
}) {
  const { preview, isDoubtful } = properties;
  const { name, plausible, problems, expected, recognised, confusedWith, nearest, warnings = [] } = preview;
  const { pictures = [] } = preview;
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    element.current!.scrollIntoView({ block: 'nearest' }); // on a small screen it is below what was edited
  }, [preview]);
  const rivals = confusedWith.filter(({ probability }) => probability >= 0.005).slice(0, shown);
  return (
    <section
      ref={element}
      class={`preview ${isDoubtful ? 'preview-doubtful' : ''}`}
      role="status"
      aria-label="Expectation"
    >
      <h3>
        {!plausible
          ? `${name} is not a plausible class`
          : isDoubtful
            ? `${name} would be confused with ${confusedWith[0]?.name ?? 'other classes'}`
            : `${name} can be told apart`}
      </h3>
      {problems.map((problem) => (
        <p key={problem}>{plainWords(problem)}</p>
      ))}
      {plausible && expected !== null && (
        <p>
          About {percentInWords(expected)} of its pictures will be recognised, by what classes held out in
          training reached.
        </p>
      )}
      {pictures.map((picture) => (
        <p key={picture.name}>
          {picture.name} would become {picture.class}, {percentInWords(picture.probability)}.
        </p>
      ))}
      <p>
        Of pictures as the model imagines them, {percentInWords(recognised)} are recognised as it
        {rivals.length > 0 && ', '}
        {rivals
          .map(({ name: rival, probability }) => `${percentInWords(probability)} as ${rival}`)
          .join(', ')}
        .{isDoubtful && ' Make it differ more in its attributes, or save it anyway.'}
      </p>
      <p class="fine">
        Nearest by attributes:{' '}
        {nearest
          .slice(0, shown)
          .map(({ name: near, likeness }) => `${near} (${figure(likeness)})`)
          .join(', ')}
      </p>
      {warnings.map((warning) => (
        <p key={warning} class="fine">
          {plainWords(warning)}
        </p>
      ))}
    </section>
  );
}
