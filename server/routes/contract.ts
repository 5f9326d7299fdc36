/** GET /openapi.json, the contract; GET /docs, a page to read and try it. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router, type RequestHandler } from 'express';
import { openApiDocument } from '../contract/openapi.js';
import { docsPage, docsPolicy, docsScript, scriptName } from '../docs-page/page.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';

const swaggerFiles = ['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png'];
const forEver = 'public, max-age=31536000, immutable'; // addresses carry versions

export function contractRoutes(): Router {
  const document = JSON.stringify(openApiDocument());
  const swagger = locateSwagger();
  const page = docsPage(swagger.version);
  const router = Router();
  router
    .route('/openapi.json')
    .all(named('openapi'))
    .get((_request, response) => {
      response.setHeader('Cache-Control', 'no-cache');
      response.type('application/json').send(document);
    })
    .all(onlyMethods('GET'));
  router
    .route('/docs')
    .all(named('docs'))
    .get((request, response) => {
      if (request.path.endsWith('/')) {
        response.redirect(308, '../docs'); // the page's relative addresses count on it
        return;
      }
      response.setHeader('Content-Security-Policy', docsPolicy);
      response.setHeader('Cache-Control', 'no-cache');
      response.type('html').send(page);
    })
    .all(onlyMethods('GET'));
  router
    .route(`/docs/${scriptName}`)
    .all(named('docs'))
    .get((_request, response) => {
      response.setHeader('Cache-Control', forEver);
      response.type('js').send(docsScript);
    })
    .all(onlyMethods('GET'));
  const onlyListed: RequestHandler = (request, _response, next) => {
    next(swaggerFiles.includes(request.path) ? undefined : 'router');
  };
  const files = Router();
  files.use(onlyListed, named('docs'));
  files.use(express.static(swagger.folder, { index: false, redirect: false, immutable: true, maxAge: '1y' }));
  router.use('/docs', files);
  return router;
}

/** Its own package.json tells where Swagger UI is and which version; the package is never imported. */
function locateSwagger(): { folder: string; version: string } {
  const require = createRequire(import.meta.url);
  const { version } = require('swagger-ui-dist/package.json') as { version: string };
  return { folder: dirname(require.resolve('swagger-ui-dist/package.json')), version };
}
