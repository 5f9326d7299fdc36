import { useEffect, useRef } from 'preact/hooks';
import type { ClassPreview, Doubt } from '../state/class-draft.js';
import { figure, percentInWords } from '../state/figures.js';
import { attributesByName, attributeWords } from '../state/model.js';
import { warningSentence } from '../state/plain-words.js';

const shown = 4;

/** What the dry run expects: how often it would be recognised, and what it would be taken for instead. */
export function ConfusionPreview(properties: {
  readonly preview: ClassPreview;
  readonly doubt: Doubt | null;
}) {
  const { preview, doubt } = properties;
  const { plausible, problems, expected, recognised, confusedWith, nearest, warnings = [] } = preview;
  const { pictures = [] } = preview;
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    element.current!.scrollIntoView({ block: 'nearest' }); // on a small screen it is below what was edited
  }, [preview]);
  const rivals = confusedWith.filter(({ probability }) => probability >= 0.005).slice(0, shown);
  return (
    <section
      ref={element}
      class={`preview ${doubt ? 'preview-doubtful' : ''}`}
      role="status"
      aria-label="Expectation"
    >
      <h3>{heading(preview, doubt)}</h3>
      {problems.map((problem) => (
        <p key={problem}>{inWords(problem)}</p>
      ))}
      {plausible && expected !== null && (
        <p>
          About {percentInWords(expected)} of its pictures will be recognised, judging by classes that were
          held out in training.
        </p>
      )}
      {pictures.map((picture) => (
        <p key={picture.name}>
          {picture.name} would become {picture.class}, {percentInWords(picture.probability)}.
        </p>
      ))}
      <p>
        Of features that the model makes up for it, {percentInWords(recognised)} are recognised
        {rivals.length > 0 && ', '}
        {rivals
          .map(({ name: rival, probability }) => `${percentInWords(probability)} as ${rival}`)
          .join(', ')}
        .{doubt && ' Make it differ more in its attributes, or save it anyway.'}
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
          {inWords(warning)}
        </p>
      ))}
    </section>
  );
}

function inWords(warning: string): string {
  return warningSentence(warning, attributesByName.value.keys(), attributeWords);
}

function heading({ name, confusedWith }: ClassPreview, doubt: Doubt | null): string {
  if (doubt === 'implausible') return `${name} is not a plausible class`;
  if (doubt === 'confused') return `${name} would be confused with ${confusedWith[0].name}`;
  return doubt ? `${name} would mostly not be recognised` : `${name} can be told apart`;
}
