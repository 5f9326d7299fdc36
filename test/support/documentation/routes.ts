/** Calls of the server: every route is one of the contract's, and so are method and query of what curl sends. */
import { openApiDocument } from '../../../server/contract/openapi.js';
import { at, shellIn, type Check } from './check.js';

const routes = Object.entries(openApiDocument().paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  operations: new Map(Object.entries(operations)),
}));

/** Our own server: on its port, or called SERVER. */
const address = /(?:(?:localhost|127\.0\.0\.1):8080|\bSERVER)(\/[^\s'"`)?]+)(\?[^\s'"`)]*)?/;

export const checkRoutes: Check = (document) => [
  ...document.lines.flatMap((content, index) =>
    Array.from(content.matchAll(new RegExp(address, 'g')), ([, path]) => path)
      .filter((path) => !routes.some(({ pattern }) => pattern.test(path)))
      .map((path) => at(document, index + 1, `there is no route ${path}`)),
  ),
  ...shellIn(document).flatMap(({ line, words }) => {
    const called = words[0] === 'curl' ? words.map((word) => address.exec(word)).find(Boolean) : null;
    if (!called) return [];
    const [, path, query = ''] = called;
    return complaintsOf(methodOf(words), path, query).map((complaint) => at(document, line, complaint));
  }),
];

function methodOf(words: readonly string[]): string {
  const asked = words.findIndex((word) => word === '-X' || word === '--request');
  if (asked >= 0) return words[asked + 1].toLowerCase();
  return words.some((word) => /^(-d|-F|--data|--data-binary|--form)$/.test(word)) ? 'post' : 'get';
}

function complaintsOf(method: string, path: string, query: string): string[] {
  const operation = routes.find(({ pattern }) => pattern.test(path))?.operations.get(method);
  if (!operation) return [`${method.toUpperCase()} ${path} is not possible`];
  const known = (operation.parameters ?? []).map(({ name }) => name);
  const unknown = [...new URLSearchParams(query).keys()].filter((name) => !known.includes(name));
  return unknown.map((name) => `${path} takes no ${name}`);
}
