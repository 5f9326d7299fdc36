/**
 * A chart as a figure: title, legend, drawing, and a sentence on how to read it. Drawn when the report is made, as SVG that
 * takes its colours from the page (see style.ts): nothing is left to do in the browser, and print and dark mode follow.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { html, Markup } from './html.js';

type LegendMark = 'line' | 'dash' | 'area' | 'dot' | 'ring' | 'square' | 'triangle' | 'diamond';

interface LegendEntry {
  readonly label: string;
  readonly colour: string; // a CSS colour, var(--…) mostly
  readonly shape: LegendMark;
  readonly opacity?: number;
}

interface Chart {
  readonly title: string;
  /** What to look for, and what would be bad. */
  readonly note: string | Markup;
  readonly legend: readonly LegendEntry[];
  readonly plot: Plot.PlotOptions;
  readonly narrow?: boolean; // two of them fit side by side
}

/** Plot builds its drawing in a document; this one is never shown. */
const { document } = parseHTML('<!doctype html><html><body></body></html>') as unknown as {
  document: object;
};

export function chart({ title, note, legend, plot, narrow = false }: Chart): Markup {
  const width = narrow ? 460 : 900;
  const options = {
    document,
    width,
    marginBottom: 46, // room for the label under the numbers
    style: { fontSize: '12px', background: 'none' },
    ariaLabel: title,
    ...plot,
  } as Plot.PlotOptions;
  const drawn = Plot.plot(options) as unknown as { outerHTML: string };
  const svg = tidy(drawn.outerHTML).replace(/^<svg /, '<svg role="img" ');
  return html`<figure class="chart${narrow ? ' narrow' : ''}">
    <h3>${title}</h3>
    <ul class="legend" aria-label="Legend">
      ${legend.map((entry) => html`<li>${key(entry)} ${entry.label}</li>`)}
    </ul>
    ${new Markup(svg)}
    <figcaption>${note}</figcaption>
  </figure>`;
}

/**
 * Hundredths of a pixel are enough. Only inside tags: what people read stays as it is. And the drawing is one picture with one
 * name: the labels that Plot gives to its parts may not stand on plain shapes, so they become data.
 */
function tidy(svg: string): string {
  return svg.replace(/<[a-z][^>]*>/g, (tag) => {
    const short = tag.replace(/(\.\d\d)\d+/g, '$1');
    return short.startsWith('<svg ') ? short : short.replace(' aria-label="', ' data-part="');
  });
}

function key({ colour, shape, opacity = 1 }: LegendEntry): Markup {
  const fill = `fill="${colour}" fill-opacity="${opacity}"`;
  const line = `stroke="${colour}" stroke-width="2"`;
  const shapes: Record<LegendMark, string> = {
    line: `<path d="M0 7H18" ${line}/>`,
    dash: `<path d="M0 7H18" ${line} stroke-dasharray="4 3"/>`,
    area: `<rect x="1" y="2" width="16" height="10" ${fill}/>`,
    dot: `<circle cx="9" cy="7" r="4" ${fill}/>`,
    ring: `<circle cx="9" cy="7" r="4" fill="none" ${line}/>`,
    square: `<rect x="5" y="3" width="8" height="8" ${fill}/>`,
    triangle: `<path d="M9 2L14 12H4Z" ${fill}/>`,
    diamond: `<path d="M9 1L14 7L9 13L4 7Z" ${fill}/>`,
  };
  return new Markup(
    `<svg aria-hidden="true" width="18" height="14" viewBox="0 0 18 14">${shapes[shape]}</svg>`,
  );
}
