/** The letters of every page: one variable font for all weights. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fontName } from './tokens.js';

export const fontFile = '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2';

export function readFont(): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(fontFile));
}

/** For a page that loads it from an address. */
export function fontFace(address: string): string {
  return `@font-face {
  font-family: '${fontName}';
  src: url('${address}') format('woff2');
  font-weight: 400 700;
  font-display: swap;
}
`;
}

/** For a page that is one file. */
export function embeddedFontFace(): string {
  return fontFace(`data:font/woff2;base64,${readFont().toString('base64')}`);
}
