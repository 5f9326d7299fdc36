/** GET /openapi.json, the contract; GET /docs, a page to read and try it. */
import { Router, type RequestHandler } from 'express';
import { openApiDocument } from '../contract/openapi.js';
import { programVersion } from '../contract/version.js';
import { docsScript, docsStyle } from '../docs-page/files.js';
import { docsPage, docsPolicy } from '../docs-page/page.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';

const forEver = 'public, max-age=31536000, immutable'; // addresses carry versions

export function contractRoutes(): Router {
  const document = openApiDocument();
  const contract = JSON.stringify(document);
  const page = docsPage(document, programVersion);
  const router = Router();
  router
    .route('/openapi.json')
    .all(named('openapi'))
    .get((_request, response) => {
      response.setHeader('Cache-Control', 'no-cache');
      response.type('application/json').send(contract);
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
  router.route('/docs/docs.css').all(named('docs')).get(file('css', docsStyle)).all(onlyMethods('GET'));
  router.route('/docs/docs.js').all(named('docs')).get(file('js', docsScript)).all(onlyMethods('GET'));
  return router;
}

function file(type: string, content: string): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', forEver);
    response.type(type).send(content);
  };
}
