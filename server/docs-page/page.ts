/**
 * The page at /docs, made from the contract, with examples of the model that is served: it can be read without a script. Addresses
 * are relative, so that it works behind a proxy's prefix, and carry versions, so that what they name can be cached for ever.
 */
import type { HttpMethod, OpenApiDocument, Operation } from '../contract/openapi-types.js';
import type { JsonSchema } from '../contract/openapi-types.js';
import { escape, prose } from './html.js';
import { renderOperation } from './operation.js';
import { schemaTables, schemaWords } from './schema.js';

export function docsPage(document: OpenApiDocument, version: string): string {
  const info = document.info as { title: string; version: string; description: string };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]: [string, Operation]) => ({
      path,
      method: method as HttpMethod,
      operation,
    })),
  );
  const groups = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    const rendered = own.map(({ path, method, operation }) => renderOperation(path, method, operation));
    return `<section id="${idOf(name)}"><h2>${escape(name)}</h2>${prose(description)}<div class="operations">${rendered.join('\n')}</div></section>`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details class="schema" id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary><div class="body">${renderSchema(schema as JsonSchema)}</div></details>`,
  );
  const links = [...document.tags.map(({ name }) => name), 'Schemas'].map(
    (name) => `<a href="#${idOf(name)}">${escape(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)}: what can be asked</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/docs.css?v=${version}">
<script src="docs/docs.js?v=${version}" defer></script>
</head>
<body>
<header><h1>${escape(info.title)} <small>${escape(info.version)}</small></h1>${prose(info.description)}
<p><a href="./">The playground</a> does the same without code; <a href="openapi.json">openapi.json</a> is this contract for programs.</p>
<label id="key" hidden>Key, if the server requires one <input type="password" autocomplete="off"></label>
<nav aria-label="Groups">${links.join(' ')}</nav></header>
<main>
${groups.join('\n')}
<details class="schemas" id="${idOf('Schemas')}"><summary><h2>Schemas</h2> <span>${schemas.length} shapes of what is sent and answered</span></summary>
<div class="operations">${schemas.join('\n')}</div></details>
</main>
</body>
</html>
`;
}

function renderSchema(schema: JsonSchema): string {
  const { description } = schema as { description?: string };
  return `${prose(description)}<p>${schemaWords(schema)}</p>${schemaTables(schema)}`;
}

function idOf(name: string): string {
  return `group-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

/** Nothing from elsewhere, no script or style inside the page, no text ever taken for code; `data:` is for the empty icon. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
