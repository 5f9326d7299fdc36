/** Bodies for /classes and /v2/models/unseen/infer that are not JSON, or JSON of the wrong shape. */
import type { Random } from '../../../core/random.js';
import { noise, pick, wholeRequest, type MakeRequest } from './request.js';

const text = (content: string): Buffer => Buffer.from(content, 'utf8');

const brokenJson = (random: Random): Buffer =>
  pick(random, [
    () => text(''),
    () => text('{"name":'),
    () => text('{"name": "a", "name": "b"'),
    () => text('\u0000'),
    () => text('[' + '['.repeat(random.integer(50_000))),
    () => text('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)),
    () => text(`"${'x'.repeat(random.integer(100_000))}"`),
    () => text(pick(random, ['null', 'true', '0', '""', '[]', '{}', '1e999', '-0', 'NaN'])),
    () => noise(random, random.integer(2000)),
    () => Buffer.from('{"name": "\xff\xfe", "attributes": [1]}', 'latin1'), // not UTF-8
    () => text('\ufeff{"name": "a", "attributes": []}'),
    () => text('{"name": "\\ud800", "attributes": [1]}'),
  ])();

const badValue = (random: Random): unknown =>
  pick(random, [
    null,
    true,
    '',
    'x'.repeat(300),
    'a\u0000b',
    ' a ',
    -1,
    1e308,
    [],
    {},
    [[]],
    ['1'],
    [null, 1],
    Array.from({ length: 2000 }, () => 'a'),
    { constructor: 1, toString: 2 },
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`attribute ${i}`, i])),
  ]);

const classBody = (random: Random): unknown => {
  const one = { name: badValue(random), attributes: badValue(random) };
  return pick<() => unknown>(random, [
    () => one,
    () => ({ classes: [one, one, { name: 'a' }] }),
    () => ({ classes: badValue(random) }),
    () => ({ classes: Array.from({ length: 10_001 }, () => 1) }),
    () => ({ ...one, extra: 1, ['__proto__x']: 2 }),
    () => ({ name: 'a class', attributes: Array.from({ length: 1 + random.integer(9) }, () => 0.5) }),
    () => badValue(random),
  ])();
};

const inferBody = (random: Random): unknown => {
  const input = {
    name: pick(random, ['image', 'features', badValue(random)]),
    shape: pick(random, [[1], [1, 1], [0], [-1], [1e15, 1e15], [1, 2048], badValue(random)]),
    datatype: pick(random, ['BYTES', 'FP32', 'INT4', badValue(random)]),
    data: pick(random, [['AAAA'], ['!'], [1e39], [[1, 2], 'x'], badValue(random)]),
    ...(random.integer(3) === 0 && { parameters: { binary_data_size: pick(random, [0, -1, 1e15, 'x', 5]) } }),
  };
  const parameters = {
    top_k: pick(random, [0, 5, -1, 1e9, 'x']),
    unseen_bias: pick(random, [1e300, 'x', null]),
  };
  return pick<unknown>(random, [
    { inputs: [input] },
    { inputs: [input, input], outputs: badValue(random) },
    { id: badValue(random), inputs: [input], parameters },
    { inputs: badValue(random) },
    badValue(random),
  ]);
};

export function jsonKinds(): MakeRequest[] {
  const inferPath = '/v2/models/unseen/infer';
  const send = (kind: string, start: string, make: (random: Random) => Buffer): MakeRequest => {
    return (random) => {
      const headers = {
        'Content-Type': pick(random, ['application/json', 'application/json; charset=utf-16']),
        ...(random.integer(4) === 0 && {
          'Idempotency-Key': pick(random, ['', 'k'.repeat(500), '\xff', 'k']),
        }),
        ...(random.integer(4) === 0 && { 'If-Match': pick(random, ['"', '""', 'W/"x"', '*, *']) }),
        ...(random.integer(3) === 0 && {
          'Inference-Header-Content-Length': pick(random, ['-1', 'x', 1, 1e9]),
        }),
      };
      return { kind, parts: [wholeRequest(start, headers, make(random))] };
    };
  };
  const json =
    (make: (random: Random) => unknown) =>
    (random: Random): Buffer =>
      text(JSON.stringify(make(random)));
  return [
    send('class: no JSON', 'POST /classes', brokenJson),
    send('class: wrong JSON', 'POST /classes', json(classBody)),
    send('class: wrong JSON, dry run', 'POST /classes?dryRun=true', json(classBody)),
    send('class: wrong replacement', 'PUT /classes/no-such-class', json(classBody)),
    send('infer: no JSON', `POST ${inferPath}`, brokenJson),
    send('infer: wrong JSON', `POST ${inferPath}`, json(inferBody)),
    (random) => {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': 19_000_000,
        ...(random.integer(2) === 0 && { 'Inference-Header-Content-Length': 18_000_000 }),
      };
      return {
        kind: 'infer: too much JSON',
        parts: [wholeRequest(`POST ${inferPath}`, headers, Buffer.alloc(200_000, ' '))],
      };
    },
    send('infer: bytes behind the JSON', `POST ${inferPath}`, (random) =>
      Buffer.concat([json(inferBody)(random), noise(random, random.integer(500))]),
    ),
  ];
}
