/** GET /openapi.json, the contract; GET /docs, a page to read and try it. */
import { Router, type RequestHandler } from 'express';
import { openApiDocument } from '../contract/openapi.js';
import { programVersion } from '../contract/version.js';
import { readFont } from '../../core/look/font.js';
import { withExamplesOf, type ModelWords } from '../contract/model-examples.js';
import { docsPage, docsPolicy } from '../docs-page/page.js';
import { docsScript } from '../docs-page/script.js';
import { docsFontName, docsStyle } from '../docs-page/style.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import type { ServedModel } from '../model/contract.js';
import type { RouteDependencies } from './dependencies.js';

const forEver = 'public, max-age=31536000, immutable'; // addresses carry versions

export function contractRoutes({
  serving,
  settings,
}: Pick<RouteDependencies, 'serving' | 'settings'>): Router {
  const written = openApiDocument();
  let made: { readonly version: string; readonly contract: string; readonly page: string } | undefined;
  const documents = () => {
    const { current } = serving;
    if (made?.version === current.version) return made;
    // Both are there for everybody. Where classes are read with a key only, examples do not name them.
    const isOpen = settings.apiKeys.length === 0;
    const document = isOpen ? withExamplesOf(written, wordsOf(current)) : written;
    const [contract, page] = [JSON.stringify(document), docsPage(document, programVersion)];
    return (made = { version: current.version, contract, page });
  };
  const router = Router();
  router
    .route('/openapi.json')
    .all(named('openapi'))
    .get((_request, response) => {
      response.setHeader('Cache-Control', 'no-cache');
      response.type('application/json').send(documents().contract);
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
      response.type('html').send(documents().page);
    })
    .all(onlyMethods('GET'));
  router.route('/docs/docs.css').all(named('docs')).get(file('css', docsStyle)).all(onlyMethods('GET'));
  router.route('/docs/docs.js').all(named('docs')).get(file('js', docsScript)).all(onlyMethods('GET'));
  router
    .route(`/docs/${docsFontName}`)
    .all(named('docs'))
    .get(file('font/woff2', readFont()))
    .all(onlyMethods('GET'));
  return router;
}

/** The bundle's own classes: those that are added come and go. */
function wordsOf({ manifest, version, classes }: ServedModel): ModelWords {
  const own = classes.list().filter(({ runtime }) => !runtime);
  const [firstSeen, firstUnseen] = [true, false].map((seen) => own.find((one) => one.seen === seen));
  const unseen = firstUnseen ?? firstSeen ?? own[0];
  return {
    seen: (firstSeen ?? unseen).name,
    unseen: unseen.name,
    added: `another ${unseen.name}`,
    model: { version, name: manifest.dataset.name },
    attributes: manifest.attributes.map(({ name, minimum, maximum }) => ({ name, minimum, maximum })),
    values: unseen.attributes,
  };
}

function file(type: string, content: string | Buffer): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', forEver);
    response.type(type).send(content);
  };
}
