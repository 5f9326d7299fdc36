/** The body of every route that takes pictures: one picture as it is, or several as files of a form. */
import { pictureField } from '../../http/multipart.js';

const file = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };

/** In a form: one file or more. */
export const pictureFiles = { type: 'array', items: file, minItems: 1 };

export const pictureBody = {
  required: true,
  content: {
    'image/jpeg': { schema: file },
    'image/png': { schema: file },
    'image/webp': { schema: file },
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { [pictureField]: pictureFiles },
        required: [pictureField],
        additionalProperties: false,
      },
    },
  },
};
