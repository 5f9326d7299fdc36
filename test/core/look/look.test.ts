import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embeddedFontFace, readFont } from '../../../core/look/font.js';
import { lookTokens } from '../../../core/look/tokens.js';
import { docsStyle } from '../../../server/docs-page/style.js';
import { style } from '../../../trainer/report/render/style.js';

const playgroundStyles = 'server/playground/styles';
const colour = /#[0-9a-f]{3,8}\b/gi;

describe('the look of all pages', () => {
  test('is taken from one place by the API page and by reports', () => {
    for (const css of [docsStyle, style]) expect(css).toContain(lookTokens);
  });

  test('has no colours beside it in the API page and in the playground', () => {
    expect(docsStyle.replace(lookTokens, '').match(colour)).toBeNull();
    for (const name of readdirSync(playgroundStyles)) {
      const css = readFileSync(join(playgroundStyles, name), 'utf8');
      expect(css.match(colour), name).toBeNull();
      for (const [, token] of css.matchAll(/^\s*--([a-z-]+):/gm))
        expect(lookTokens).not.toContain(`--${token}:`);
    }
  });

  test('every colour that a page names is there', () => {
    const playground = readdirSync(playgroundStyles).map((name) =>
      readFileSync(join(playgroundStyles, name), 'utf8'),
    );
    const named = (css: string, pattern: RegExp): string[] =>
      [...css.matchAll(pattern)].map(([, name]) => name);
    for (const css of [docsStyle, style, playground.join('\n')]) {
      const own = named(css, /--([a-z-]+):/g);
      const known = new Set([...named(lookTokens, /--([a-z-]+):/g), ...own, 'place']); // set by a component
      const used = named(css, /var\(--([a-z-]+)[,)]/g);
      expect(used.length).toBeGreaterThan(10);
      for (const name of used) expect(known, name).toContain(name);
    }
  });

  test('the letters are a font, which a report carries inside itself', () => {
    expect(readFont().subarray(0, 4).toString('latin1')).toBe('wOF2');
    expect(embeddedFontFace()).toContain(readFont().toString('base64'));
  });
});
