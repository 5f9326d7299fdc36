/**
 * The page at /docs: Swagger UI over /openapi.json. Addresses are relative, so that it works behind a proxy's prefix, and
 * carry versions, so that what they name can be cached for ever.
 */
import { programVersion } from '../contract/version.js';

export const scriptName = 'docs.js';

export function docsPage(swaggerVersion: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Unseen: what can be asked</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png?v=${swaggerVersion}">
    <link rel="stylesheet" href="docs/swagger-ui.css?v=${swaggerVersion}">
    <script src="docs/swagger-ui-bundle.js?v=${swaggerVersion}" defer></script>
    <script src="docs/${scriptName}?v=${programVersion}" defer></script>
  </head>
  <body>
    <main id="contract"><noscript>This page needs JavaScript. <a href="openapi.json">The contract itself</a> does not.</noscript></main>
  </body>
</html>
`;
}

/** Served as a file of its own, because the page allows no script inside itself. */
export const docsScript = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#contract',
  validatorUrl: null, // nothing is sent to anyone else
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
});
`;

/** Nothing from elsewhere, no script or style inside the page; `data:` is for the icons in Swagger UI's style sheet. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
