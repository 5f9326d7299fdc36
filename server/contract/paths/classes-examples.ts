const attributes = { stripes: 92.5, hooves: 88, flippers: 0 };

export const classExamples = {
  requests: {
    one: { summary: 'One class, attributes by name', value: { name: 'zebra', attributes } },
    vector: {
      summary: 'Attributes in the order of GET /attributes',
      value: { name: 'zebra', attributes: Object.values(attributes) },
    },
    some: {
      summary: 'Some attributes; the others are as another class has them',
      value: { name: 'zebra', like: 'horse', attributes: { stripes: 92.5 } },
    },
    many: { summary: 'Many, all or none', value: { classes: [{ name: 'zebra', attributes }] } },
  },
  replacement: { attributes },
  backup: { format: 'unseen-classes', version: 1, classes: [{ name: 'zebra', attributes }] },
  versions: {
    name: 'zebra',
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
  known: {
    ...{ name: 'zebra', seen: false, runtime: true, attributes, examples: 2 },
    ...{ etag: '9f2c4e', revision: 12 },
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-01-31T12:00:00.000Z',
  },
};
