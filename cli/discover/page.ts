/** The page for people: each group with its most typical pictures, what is read from them, and the nearest known classes. */
import { htmlDocument } from '../../trainer/report/render/document.js';
import { html, type Markup } from '../../trainer/report/render/html.js';
import { table } from '../../trainer/report/render/table.js';
import type { DraftAttribute } from '../../core/discovery/discovery.js';
import { percent } from '../../core/percent.js';
import { foundSentence } from './discovery-text.js';
import type { ReportedGroup } from './group-report.js';

/** With more groups the page has pictures of the first ones only: it stays below some megabytes. */
export const groupsWithPictures = 60;
export const picturesPerGroup = 12;
export const thumbnailSide = 112;
const shownAttributes = 12;

type Thumbnails = ReadonlyMap<string, Buffer>;

export function discoveryPage(
  groups: readonly ReportedGroup[],
  { pictures, advice }: { readonly pictures: number; readonly advice: string },
  thumbnails: Thumbnails,
): string {
  const contents = [
    { id: 'found', title: 'What was found' },
    ...groups.map(({ name }) => ({ id: name, title: name })),
  ];
  const summary = html`<section id="found">
    <h1>Classes that may be missing</h1>
    <p>
      ${foundSentence(groups, pictures)}
      ${
        groups.length === 0
          ? ''
          : html`Name those that are classes in classes.csv, remove the lines of the others, and give the
              table to <code>unseen classes add</code>.`
      }
    </p>
    <p>${advice}</p>
  </section>`;
  const body = [summary, ...groups.map((group) => groupSection(group, thumbnails))];
  return htmlDocument('Classes that may be missing', contents, body);
}

function groupSection(group: ReportedGroup, thumbnails: Thumbnails): Markup {
  const { name, members, doubts, nearest, looseness, novelty } = group;
  const shown = members.slice(0, picturesPerGroup).flatMap((file) => {
    const bytes = thumbnails.get(file);
    return bytes ? [{ file, source: `data:image/jpeg;base64,${bytes.toString('base64')}` }] : [];
  });
  const near = nearest.map((one) => `${one.name} (${percent(one.probability)} %)`).join(', ');
  return html`<section id="${name}">
    <h2>${name}: ${members.length} pictures</h2>
    ${doubts.map((doubt) => html`<p><strong>${doubt}</strong></p>`)}
    <p>
      ${shown.map(
        ({ file, source }) =>
          html`<img
            src="${source}"
            alt="${file}"
            title="${file}"
            width="${thumbnailSide}"
            height="${thumbnailSide}"
          /> `,
      )}
    </p>
    <p>
      Taken for: ${near}. Novelty ${novelty.toFixed(2)} on average; its pictures differ
      ${looseness.toFixed(2)} times as much as those of a class usually do.
    </p>
    ${table<DraftAttribute>(
      [
        { title: 'attribute', show: (one) => one.name },
        { title: 'read as', show: (one) => one.value, isNumber: true },
        { title: 'sure', show: (one) => `${percent(one.certainty)} %`, isNumber: true },
      ],
      mostTelling(group.attributes),
      { caption: `Attributes of ${name} that are read most surely` },
    )}
  </section>`;
}

function mostTelling(attributes: readonly DraftAttribute[]): readonly DraftAttribute[] {
  return attributes.toSorted((a, b) => b.certainty - a.certainty).slice(0, shownAttributes);
}
