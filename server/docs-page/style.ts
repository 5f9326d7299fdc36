/** The style sheet of the page at /docs: type and colours are those of all pages. */
import { fontFace } from '../../core/look/font.js';
import { lookTokens } from '../../core/look/tokens.js';

/** Beside the style sheet. */
export const docsFontName = 'letters.woff2';

export const docsStyle = `${fontFace(`./${docsFontName}`)}${lookTokens}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem clamp(1rem, 3vw, 2rem) 4rem; font: 1rem/1.5 var(--font); background: var(--paper); color: var(--ink); }
h1 { margin: 0; font-size: 1.625rem; font-weight: 700; letter-spacing: -0.03em; }
h1 small { font-size: 1rem; font-weight: 400; letter-spacing: 0; color: var(--ink-soft); }
h2 { margin: 1.75rem 0 0; font-size: 1.0625rem; font-weight: 650; }
h2 + p { margin: 0.125rem 0 0.5rem; color: var(--ink-soft); }
h3 { margin: 1.25rem 0 0.5rem; font-size: 0.9375rem; font-weight: 650; }
p { margin: 0.5rem 0; max-width: 52rem; }
a { color: inherit; text-decoration-color: var(--line-strong); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
code, pre, textarea { font-family: var(--font-code); font-size: 0.875em; }
pre { overflow: auto; max-height: 28rem; margin: 0.5rem 0; padding: 0.75rem; background: var(--sunk); border-radius: 0.5rem; }
.operations { border: 1px solid var(--line); border-radius: var(--radius); background: var(--panel); overflow: hidden; }
.operation + .operation, .schema + .schema { border-top: 1px solid var(--line); }
.operation > summary, .schema > summary { padding: 0.3125rem 0.875rem; cursor: pointer; overflow-wrap: anywhere; }
.operation > summary:hover, .schema > summary:hover { background: var(--sunk); }
.operation > summary span { color: var(--ink-soft); }
.body { padding: 0 1rem 1rem; border-top: 1px solid var(--line); overflow-x: auto; }
.answer > summary, .example > summary, .schemas > summary { cursor: pointer; }
.schemas > summary h2 { display: inline-block; }
.method { display: inline-block; min-width: 4.2rem; font-size: 0.8125rem; color: var(--seen); }
.method.post { color: var(--good); }
.method.put { color: var(--fair); }
.method.delete { color: var(--bad); }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { font-size: 0.875rem; color: var(--ink-soft); }
em { font-style: normal; color: var(--unseen); font-size: 0.875rem; }
input, textarea, button { font: inherit; color: inherit; }
.try label, #key { display: block; margin: 0.4rem 0; font-size: 0.875rem; }
.try .optional { margin: 0.5rem 0; }
.try .optional > summary { cursor: pointer; }
.try input:not([type=file]), .try textarea, #key input { display: block; width: 100%; max-width: 40rem; padding: 0.4375rem 0.75rem; font-size: 1rem;
  border: 1px solid var(--line-strong); border-radius: 0.5rem; background: var(--panel); }
.try textarea { font-family: var(--font-code); font-size: 0.875rem; max-width: none; }
button { margin-top: 0.5rem; padding: 0.4375rem 1.125rem; border: 1px solid var(--ink); border-radius: 2rem; background: var(--ink); color: var(--paper); font-weight: 550; cursor: pointer; }
@media (max-width: 40rem) {
  thead { display: none; }
  tr, th, td { display: block; }
  th, td { border: 0; padding: 0.1rem 0; }
  tr { border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
}
[hidden] { display: none !important; }
`;
