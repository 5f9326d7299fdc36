import { percent } from '../../../../core/percent.js';
import type { ClassPictures, PictureFacts, ReportData } from '../../report-data.js';
import { seenOrUnseen, withThousands } from '../format.js';
import { html, type Markup } from '../html.js';

export function picturesSection({ pictures }: ReportData): Markup {
  if ('reason' in pictures)
    return html`<section id="pictures">
      <h2>Pictures</h2>
      <p>No pictures are shown: ${pictures.reason}.</p>
    </section>`;
  const { rows, wrongRows, overall, classes, missing, leftOut, maxBytes } = pictures;
  return html`<section id="pictures">
    <h2>Pictures</h2>
    <p>
      ${withThousands(wrongRows)} of ${withThousands(rows)} test pictures were answered wrongly. Look for what
      they share: a background, a pose, a picture in the wrong folder, or a wrong value in the table.
      Percentages are the model's probabilities. Below them is what the model read from the picture for and
      against a class.
    </p>
    ${notices(missing, leftOut, maxBytes)}
    ${
      overall.length > 0 &&
      html`<h3>The most confident mistakes</h3>
        ${strip(overall)}`
    }
    <h3>Class by class, most mistakes first</h3>
    ${classes.map(classPictures)}
  </section>`;
}

function notices(missing: readonly string[], leftOut: number, maxBytes: number): Markup {
  return html`${
    missing.length > 0 &&
    html`<p class="warning">
      ${withThousands(missing.length)} ${missing.length === 1 ? 'picture' : 'pictures'} could not be read,
      ${missing[0]} the first of them: moved, removed or damaged since the features were made.
    </p>`
  }${
    leftOut > 0 &&
    html`<p class="quiet">
      ${withThousands(leftOut)} more had no room in ${maxBytes / 1e6} MB; <code>--pictures-size</code> gives
      them more.
    </p>`
  }`;
}

function classPictures(facts: ClassPictures): Markup {
  const { name, seen, rows, wrongRows, wrong, typical, hardest } = facts;
  const lists = [
    { title: `Wrong (${wrong.length} of ${wrongRows})`, list: wrong },
    { title: 'Most typical: right, with the highest probability', list: typical },
    { title: 'Hardest: right, with the lowest probability', list: hardest },
  ].filter(({ list }) => list.length > 0);
  return html`<details class="class-pictures">
    <summary><strong>${name}</strong> (${seenOrUnseen(seen)}): ${wrongRows} of ${rows} wrong</summary>
    ${lists.map(
      ({ title, list }) =>
        html`<h4>${title}</h4>
          ${strip(list)}`,
    )}
    ${lists.length === 0 && html`<p class="quiet">None of its pictures is shown.</p>`}
  </details>`;
}

function strip(list: readonly PictureFacts[]): Markup {
  return html`<ul class="pictures">
    ${list.map((picture) => html`<li>${card(picture)}</li>`)}
  </ul>`;
}

function card(picture: PictureFacts): Markup {
  const { file, thumbnail, answer, answerProbability, truth, truthProbability, isRight, reason } = picture;
  const share = (value: number): string => `${percent(value, 0)}\u00a0%`;
  return html`<figure>
    <img
      src="${thumbnail}"
      alt="${truth}${isRight ? '' : `, answered ${answer}`}"
      title="${file}"
      decoding="async"
    />
    <figcaption>
      ${
        isRight
          ? html`<span class="mark right">✓</span> <strong>${truth}</strong> ${share(truthProbability)}`
          : html`<span class="mark wrong">✗</span>
              <strong>${answer}</strong> ${share(answerProbability)}<br />
              in truth <strong>${truth}</strong> ${share(truthProbability)}`
      }
      ${
        reason !== '' &&
        html`<br />
          ${reason}`
      }
      <br />
      <code>${file.split(/[/\\]/).at(-1) ?? ''}</code>
    </figcaption>
  </figure>`;
}
