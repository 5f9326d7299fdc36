import { exampleWords } from '../model-examples.js';

const [stripes, hooves, flippers] = exampleWords.attributes;
const attributes = { [stripes]: 92.5, [hooves]: 88, [flippers]: 0 };
const name = exampleWords.added;

export const classExamples = {
  requests: {
    one: { summary: 'One class, attributes by name', value: { name, attributes } },
    vector: {
      summary: 'Attributes in the order of GET /attributes',
      value: { name, attributes: Object.values(attributes) },
    },
    some: {
      summary: 'Some attributes; the others are as another class has them',
      value: { name, like: exampleWords.seen, attributes: { [stripes]: 92.5 } },
    },
    many: { summary: 'Many, all or none', value: { classes: [{ name, attributes }] } },
  },
  replacement: { attributes },
  backup: { format: 'unseen-classes', version: 1, classes: [{ name, attributes }] },
  versions: {
    name,
    versions: [
      {
        ...{ number: 2, at: '2026-02-03T09:00:00.000Z', by: 'ada', revision: 14 },
        ...{ removed: true, current: false },
      },
      {
        ...{ number: 1, at: '2026-01-31T12:00:00.000Z', by: null, revision: 12 },
        ...{ removed: false, current: false, attributes, etag: '9f2c4e', examples: 2 },
      },
    ],
  },
  removed: {
    classes: [
      {
        ...{ name, version: 1, removedAt: '2026-02-03T09:00:00.000Z', by: 'ada' },
        ...{ keptUntil: '2026-03-05T09:00:00.000Z', attributes: 3, examples: 2 },
      },
    ],
  },
  known: {
    ...{ name, seen: false, runtime: true, attributes, examples: 2 },
    ...{ etag: '9f2c4e', revision: 12 },
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-01-31T12:00:00.000Z',
  },
};
