import { headerRefs, problems } from '../openapi-parts.js';
import type { Operation, PathGroup } from '../openapi-types.js';

function documentOperation(operationId: string, summary: string, mediaType: string, type: string): Operation {
  return {
    operationId,
    summary,
    responses: {
      '200': {
        description: 'The document.',
        headers: headerRefs('X-Request-Id'),
        content: { [mediaType]: { schema: { type } } },
      },
      ...problems('method-not-allowed', 'rate-limited'),
    },
  };
}

export const documentPaths: PathGroup = {
  tag: { name: 'Contract', description: 'This document, and a page to read and try it.' },
  paths: {
    '/openapi.json': {
      get: documentOperation('openapi', 'This document', 'application/json', 'object'),
    },
    '/docs': { get: documentOperation('docs', 'A page to read and try it', 'text/html', 'string') },
  },
};
