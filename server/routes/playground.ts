/** GET /: the playground, the page that Vite builds from server/playground into dist, with compressed copies of its files. */
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router, type RequestHandler } from 'express';
import { compiledFile } from '../../core/compiled-file.js';
import { Failure } from '../../core/failures.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';

/**
 * Nothing from elsewhere, no script or style inside the page, no text ever taken for code. `blob:` is for the picture that
 * somebody chose.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** What the build compresses, with what it is. */
const compressed = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);
const encodings = { br: '.br', gzip: '.gz' } as const;

export function playgroundRoutes(
  folder = fileURLToPath(compiledFile('../playground', import.meta.url)),
): Router {
  const router = Router();
  router
    .route('/')
    .all(named('playground'))
    .get(
      (request, response, next) => {
        response.setHeader('Content-Security-Policy', policy);
        response.setHeader('Cache-Control', 'no-cache');
        request.url = '/index.html';
        next();
      },
      preferCompressed,
      express.static(folder, { ...plainFiles, cacheControl: false }),
      () => {
        throw new Failure('not-found', 'The playground is not built. "npm run build" builds it.');
      },
    )
    .all(onlyMethods('GET'));
  router.use(
    '/assets',
    named('playground'),
    preferCompressed,
    // Their names change with what is in them.
    express.static(join(folder, 'assets'), { ...plainFiles, immutable: true, maxAge: '1y' }),
  );
  return router;
}

/** Asks for the compressed copy that lies beside a file. */
const preferCompressed: RequestHandler = (request, response, next) => {
  if (compressed.has(extname(request.path))) {
    response.vary('Accept-Encoding');
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
    if (encoding === 'br' || encoding === 'gzip') request.url = `${request.path}${encodings[encoding]}`;
  }
  next();
};

const plainFiles = {
  index: false,
  redirect: false,
  /** The name of a compressed copy says nothing of what is in it. */
  setHeaders(response: ServerResponse, path: string): void {
    const found = Object.entries(encodings).find(([, ending]) => path.endsWith(ending));
    if (!found) return;
    const [encoding, ending] = found;
    response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Type', compressed.get(extname(path.slice(0, -ending.length)))!);
  },
} as const;
