/** One HTML file that needs nothing else: no server, no network. Its own policy forbids it to ask for more. */
import { createHash } from 'node:crypto';
import { embeddedFontFace } from '../../../core/look/font.js';
import { html, Markup, type Piece } from './html.js';
import { script } from './script.js';
import { style } from './style.js';

interface Section {
  readonly id: string;
  readonly title: string; // as the list of contents has it
}

export function htmlDocument(title: string, contents: readonly Section[], body: Piece): string {
  const scriptHash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${scriptHash}'`;
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}; font-src data:" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${new Markup(embeddedFontFace() + style)}
      </style>
    </head>
    <body>
      <nav aria-label="Sections">
        <ul>
          ${contents.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}
        </ul>
      </nav>
      <main>${body}</main>
      ${new Markup(`<script>${script}</script>`)}
    </body>
  </html>`;
  return `<!doctype html>\n${page.text}\n`;
}
