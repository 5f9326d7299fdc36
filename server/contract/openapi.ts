/** The OpenAPI 3.1 document: made from the schemas that validate, so that it cannot say anything else. */
import { headers, securitySchemes } from './openapi-parts.js';
import { componentSchemas } from './openapi-schemas.js';
import type { OpenApiDocument, Operation, PathGroup, PathItem } from './openapi-types.js';
import { pathGroups } from './paths/index.js';
import { problemSchema } from './schemas.js';
import { programVersion } from './version.js';

const description = `Recognises classes in images, even classes that it has no pictures of.

Send a picture to \`POST /classify\`. Every error is a problem document (RFC 9457) with a \`code\` from a closed set and a \`detail\` that says
what to change. \`429\` and \`503\` come with \`Retry-After\`. Each answer has an \`X-Request-Id\` that is also in the
server's log. If the server requires a key, send it as \`Authorization: Bearer KEY\` or \`X-API-Key: KEY\`.`;

export function openApiDocument(groups: readonly PathGroup[] = pathGroups): OpenApiDocument {
  const requests = groups.map((group) => group.requests ?? {});
  const answers = groups.map((group) => group.answers ?? {});
  return {
    openapi: '3.1.0',
    info: {
      title: 'Unseen',
      version: programVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: './' }], // where this document lies: the server may be behind a prefix,
    tags: groups.map(({ tag }) => tag),
    paths: Object.assign({}, ...groups.map(taggedPaths)) as OpenApiDocument['paths'],
    components: {
      schemas: {
        ...componentSchemas(Object.assign({}, ...requests) as NonNullable<PathGroup['requests']>, 'input'),
        ...componentSchemas(
          Object.assign({ Problem: problemSchema }, ...answers) as NonNullable<PathGroup['answers']>,
          'output',
        ),
      },
      headers,
      securitySchemes,
    },
  };
}

/** Operations carry the tag of their group, so that none can be forgotten. */
function taggedPaths({ paths, tag }: PathGroup): OpenApiDocument['paths'] {
  const tagged = (item: PathItem): PathItem =>
    Object.fromEntries(
      Object.entries(item).map(([method, operation]: [string, Operation]) => [
        method,
        { tags: [tag.name], ...operation },
      ]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, tagged(item)]));
}
