/** Builds the playground (server/playground) into dist/server/playground, from where the server serves it at /. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { fontFace, fontFile } from './core/look/font.js';
import { lookTokens, paperDark, paperLight } from './core/look/tokens.js';

/** Colours and letters, which the playground shares with the API page and with reports: `import 'unseen:look.css'`. */
function look(): Plugin {
  const resolved = '/unseen-look.css';
  return {
    name: 'look',
    resolveId: (id) => (id === 'unseen:look.css' ? resolved : undefined),
    load: (id) => (id === resolved ? fontFace(fontFile) + lookTokens : undefined),
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace('%PAPER_LIGHT%', paperLight).replace('%PAPER_DARK%', paperDark),
    },
  };
}

/** Compressed once, here and as well as can be, instead of by the server for every visitor. */
function compress(): Plugin {
  const compressible = /\.(?:js|css|html|svg)$/;
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  return {
    name: 'compress',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        if (!compressible.test(fileName)) continue;
        const source = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        this.emitFile({
          type: 'asset',
          fileName: `${fileName}.br`,
          source: brotliCompressSync(source, best),
        });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
      }
    },
  };
}

/** The letters are asked for with the style sheet, not after it: text does not change its width under the reader. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((fileName) => fileName.endsWith('.woff2'))
          .map((fileName) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `./${fileName}` },
            injectTo: 'head',
          })),
    },
  };
}

export default defineConfig({
  root: 'server/playground',
  base: './', // the server may be behind a prefix
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  plugins: [look(), preloadFonts(), compress()],
  build: {
    outDir: '../../dist/server/playground',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // nothing inside the page: see its content security policy
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
