/**
 * How the report looks: type and colours of all pages (core/look), and colours for classes that suit colour-blind readers (Tol's muted
 * set); on paper it is always the light page.
 */
import { lookTokens } from '../../../core/look/tokens.js';

export const classColours = 10;
/** Of a table of hundreds of rows; the file on screen has them all. */
export const rowsOnPaper = 60;

const light = [
  '#332288',
  '#3d9fd1',
  '#2f9e8c',
  '#117733',
  '#85852a',
  '#b08d1f',
  '#cc6677',
  '#882255',
  '#aa4499',
  '#707070',
];
const dark = [
  '#8f8ff0',
  '#88ccee',
  '#44bba9',
  '#4fb46d',
  '#b9b94a',
  '#ddcc77',
  '#e58b99',
  '#d0678f',
  '#cf76c0',
  '#b0b0b0',
];

const variables = light.map((colour, i) => `--class-${i}: light-dark(${colour}, ${dark[i]});`).join(' ');

export const style = `
${lookTokens}
:root {
  --page: var(--paper); --text: var(--ink); --quiet: var(--ink-soft); --link: var(--focus);
  --right: var(--seen); --wrong: var(--unseen); --mean: var(--good); --other: light-dark(#8a5a83, #d49ccc);
  ${variables}
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 16px/1.5 var(--font); }
h1 { font-size: 1.625rem; letter-spacing: -.03em; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 3rem 0 .25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 .75rem; max-width: 46rem; }
a { color: inherit; text-decoration-color: var(--line-strong); text-underline-offset: .2em; }
code { font-family: var(--font-code); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
.quiet, figcaption, .count { color: var(--quiet); font-size: .9rem; }
.warning { border-left: 4px solid var(--wrong); padding-left: .75rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.tiles strong { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles span { display: block; color: var(--quiet); font-size: .85rem; }
figure { margin: 1.5rem 0; }
figure svg { max-width: 100%; height: auto; font-family: var(--font); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 0 1.5rem; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: 0 0 .5rem; padding: 0; list-style: none; font-size: .85rem; }
.legend svg { vertical-align: -2px; }
.table { margin: 1.25rem 0; }
.scroll { max-height: 30rem; overflow: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; padding: .4rem .6rem; font-weight: 600; }
th { overflow-wrap: normal; }
th, td { text-align: left; padding: .25rem .6rem; border-top: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
thead th { position: sticky; top: 0; background: var(--panel); }
td.text { min-width: 7rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { overflow-wrap: normal; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-decoration: underline dotted; }
th[aria-sort=ascending] button::after { content: ' ▲'; }
th[aria-sort=descending] button::after { content: ' ▼'; }
.filter { display: block; margin-bottom: .5rem; }
input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--quiet); border-radius: .3rem; padding: .2rem .5rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.bar { display: inline-block; height: .6rem; min-width: 1px; border-radius: 2px; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .9rem; margin: .5rem 0 1rem; padding: 0; list-style: none; }
.pictures figure { margin: 0; height: 100%; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem; }
.pictures img { display: block; width: 100%; height: 7rem; object-fit: contain; margin-bottom: .4rem; }
.pictures figcaption { font-size: .8rem; line-height: 1.35; overflow-wrap: anywhere; }
.pictures strong { color: var(--text); }
.pictures .mark { font-weight: 600; } .pictures .mark.wrong { color: var(--wrong); } .pictures .mark.right { color: var(--right); }
.class-pictures { border-top: 1px solid var(--line); padding: .3rem 0; }
.class-pictures summary { padding: .2rem 0; overflow-wrap: anywhere; }
.class-pictures h4 { font-size: .9rem; margin: .6rem 0 0; }
code { font-size: .85em; overflow-wrap: anywhere; }
summary { cursor: pointer; }
.on-paper { display: none; }
@page { margin: 14mm; }
@media print {
  :root { color-scheme: light; --paper: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, .filter, .count { display: none; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  table { font-size: 8pt; }
  th, td { padding: .1rem .4rem; }
  thead th { position: static; }
  th button { text-decoration: none; }
  .table.long tbody tr:nth-child(n + ${rowsOnPaper + 1}) { display: none; }
  .table.long .on-paper { display: block; }
  figure, .tiles li, tr { break-inside: avoid; }
  .class-pictures:not([open]) { display: none; }
  h2, h3, section > p { break-after: avoid; }
  section > p { break-inside: avoid; }
  .pair { grid-template-columns: 1fr 1fr; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
