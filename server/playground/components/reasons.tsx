import { useState } from 'preact/hooks';
import type { ClassifyResponse } from '../../../client/index.js';
import { describeAttribute } from '../state/attribute-families.js';
import { counted, figure, place } from '../state/figures.js';
import type { Kind } from '../state/classes.js';
import { attributesByName } from '../state/model.js';

type ShownExplanation = NonNullable<ClassifyResponse['explanation']>;
type Grounds = ShownExplanation['classes'][number]['restsOn'];
type Evidence = ShownExplanation['classes'][number]['for'][number];

const shownAtFirst = 8;

/** What was read from the picture, and how that fits the class that is selected. */
export function Reasons({
  explanation,
  selected,
}: {
  readonly explanation: ShownExplanation;
  readonly selected: string;
}) {
  const evidence = explanation.classes.find((one) => one.class === selected);
  return (
    <div class="reasons">
      {evidence && (
        <section aria-labelledby="why-title">
          <h3 id="why-title">Why {selected}?</h3>
          <p>{restsOnWords(evidence.restsOn)}</p>
          {evidence.sentence !== '' && <p class="explanation-sentence">{evidence.sentence}</p>}
          {evidence.restsOn.attributes > 0 && (
            <p class="fine">A dot marks what was read from the picture, a ring what the class has.</p>
          )}
          <div class="evidence">
            <EvidenceList title="Speaks for it" mood="for" list={evidence.for} />
            <EvidenceList title="Speaks against it" mood="against" list={evidence.against} />
          </div>
        </section>
      )}
      <ReadAttributes attributes={explanation.attributes} sentence={explanation.sentence} />
    </div>
  );
}

/** What is known of the class. */
function restsOnWords({ training, attributes, pictures }: Grounds): string {
  const added = pictures > 0 ? counted(pictures, 'picture') : '';
  if (training) return `Known from the pictures of its training${added && ` and ${added} more`}.`;
  const described = attributes > 0 ? counted(attributes, 'attribute') : '';
  return `Known by ${[described, added].filter(Boolean).join(' and ')}.`;
}

/** The same in a few words, beside the kind of the class. */
export function knownByWords(kind: Kind, { training, attributes, pictures }: Grounds): string {
  const when = kind === 'added' ? 'while serving, ' : '';
  const added = pictures > 0 ? counted(pictures, 'picture') : '';
  if (training) return `training had pictures of it${added && `, and ${added} came later`}`;
  if (attributes === 0) return `${when}known by ${added} only`;
  if (!added && kind === 'unseen')
    return 'training had no pictures of it; it is known by its description only';
  return `${when}known by its attributes ${added ? `and ${added}` : 'only'}`;
}

function EvidenceList(properties: {
  readonly title: string;
  readonly mood: 'for' | 'against';
  readonly list: readonly Evidence[];
}) {
  const { title, mood, list } = properties;
  return (
    <div>
      <h4>{title}</h4>
      {list.length === 0 && <p class="fine">Nothing.</p>}
      <ul class={`evidence-list evidence-${mood}`}>
        {list.map(({ attribute, read, expected, filled }) => (
          <li key={attribute}>
            <AttributeName name={attribute} />
            <span class="fine">
              read {figure(read, 2)}, {mood === 'for' ? 'it has' : 'but it has'} {figure(expected, 2)}
              {filled && ' (filled in)'}
            </span>
            <Gauge name={attribute} read={read} expected={expected} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ReadAttributes({ attributes, sentence }: Pick<ShownExplanation, 'attributes' | 'sentence'>) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? attributes : attributes.slice(0, shownAtFirst);
  return (
    <section aria-labelledby="read-title">
      <h3 id="read-title">Read from the picture</h3>
      <p class="read-sentence">{sentence}</p>
      <p class="fine">First what is certainly there, then what is certainly not, then the rest.</p>
      <ul class="read-list">
        {shown.map(({ attribute, value, salience, certainty, present }) => (
          <li key={attribute}>
            <AttributeName name={attribute} />
            <span class="fine">
              {figure(value, 2)}, {salience > 0 ? 'more' : 'less'} than usual
              {present !== null && ' (certain)'}
              {certainty !== null && certainty < 0.1 && ' (hardly readable)'}
            </span>
            <Gauge name={attribute} read={value} />
          </li>
        ))}
      </ul>
      {attributes.length > shownAtFirst && (
        <button
          type="button"
          class="link"
          aria-expanded={isWhole}
          onClick={() => {
            setWhole(!isWhole);
          }}
        >
          {isWhole ? 'Fewer' : `All ${attributes.length}`}
        </button>
      )}
    </section>
  );
}

function AttributeName({ name }: { readonly name: string }) {
  const { family, label, title } =
    attributesByName.value.get(name) ?? describeAttribute({ name, minimum: 0, maximum: 1 });
  return (
    <span class="attribute-name" title={title}>
      <span class="attribute-family">{family}</span> {label}
    </span>
  );
}

/** A dot for what was read, a ring for what the class has, between the smallest and largest value over seen classes. */
function Gauge({ name, read, expected }: { name: string; read: number; expected?: number }) {
  const { minimum = 0, maximum = 1 } = attributesByName.value.get(name) ?? {};
  return (
    <span class="gauge" aria-hidden="true">
      {expected !== undefined && (
        <span class="gauge-expected" style={{ '--place': place(expected, minimum, maximum) }} />
      )}
      <span class="gauge-read" style={{ '--place': place(read, minimum, maximum) }} />
    </span>
  );
}
