/** Malformed HTTP: wrong lengths, invalid chunks, trailing junk after a request, and bytes that are not HTTP at all. */
import { METHODS } from 'node:http';
import type { Random } from '../../../core/random.js';
import { formats, type PictureSeeds } from './pictures.js';
import { head, noise, pick, wholeRequest, type MakeRequest } from './request.js';

const routes = [
  '/classify',
  '/classes',
  '/attributes',
  '/healthz',
  '/metrics',
  '/v2',
  '/docs',
  '/openapi.json',
];
const letters = (length: number): string => 'x'.repeat(length);

const paths = (random: Random): string =>
  pick(random, [
    '/%00',
    '/classes/%00',
    '/classes/%zz',
    '/classes/%ff%fe',
    '/classes/..%2f..%2fetc%2fpasswd',
    '/../../../../etc/passwd',
    '//evil.example/classify',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs//etc/passwd',
    '/v2/models/%00/infer',
    `/v2/models/${letters(3000)}`,
    `/classes/${letters(random.integer(12_000))}`,
    `/${'a/'.repeat(random.integer(5_000))}`,
    '/classes/__proto__',
    '/classes/constructor',
    '/%',
    '*',
    'http://other.example/classify',
    '/classify;jsessionid=1',
    '/CLASSIFY/',
    '/\xff\xfe',
  ]);

const queries = [
  'topK=0', 'topK=-1', 'topK=1e9', 'topK=', 'topK=5&topK=6', 'topK[]=1', 'topK[a]=1', 'explain=yes',
  'unseenBias=NaN', 'unseenBias=1e999', 'unseenBias=1e30', 'unknown=1', '__proto__=1', '%zz=%zz', '%ff=%fe', '=&=&==',
  `topK=${'9'.repeat(5000)}`, 'a=1&'.repeat(1500), 'after=%00&limit=0', 'limit=99999&kind=all', 'dryRun=maybe',
]; // prettier-ignore

export function protocolKinds({ good }: PictureSeeds): MakeRequest[] {
  const jpeg = { 'Content-Type': 'image/jpeg' };
  const chunked = { ...jpeg, 'Transfer-Encoding': 'chunked' };
  return [
    (random) => ({
      kind: 'wrong method',
      parts: [head(`${pick(random, [...METHODS, 'BREW'])} ${pick(random, routes)}`, { 'Content-Length': 0 })],
      then: 'end',
    }),
    (random) => ({
      kind: 'wrong path',
      parts: [head(`${pick(random, ['GET', 'POST', 'DELETE'])} ${paths(random)}`)],
    }),
    (random) => ({
      kind: 'wrong query',
      parts: [
        random.integer(2) === 0
          ? wholeRequest(`POST /classify?${pick(random, queries)}`, jpeg, good.jpeg)
          : head(`GET /classes?${pick(random, queries)}`),
      ],
    }),
    (random) => {
      const types = [
        '',
        'text/plain',
        'image/gif',
        'image/svg+xml',
        'image/',
        ';',
        'image/jpeg/png',
        letters(5000),
        '\xff',
      ];
      const headers = {
        'Content-Type': pick(random, types),
        ...(random.integer(3) === 0 && { 'Content-Encoding': 'gzip' }),
      };
      return {
        kind: 'wrong type',
        parts: [wholeRequest('POST /classify', headers, good[pick(random, formats)])],
      };
    },
    (random) => ({
      kind: 'length longer than the body',
      parts: [
        wholeRequest(
          'POST /classify',
          { ...jpeg, 'Content-Length': good.jpeg.length + 1 + random.integer(9999) },
          good.jpeg,
        ),
      ],
      then: random.integer(20) === 0 ? 'wait' : 'end',
    }),
    (random) => ({
      kind: 'length shorter than the body',
      parts: [
        wholeRequest(
          'POST /classify',
          { ...jpeg, 'Content-Length': random.integer(good.jpeg.length) },
          good.jpeg,
        ),
      ],
    }),
    (random) => {
      const lengths = ['-1', 'abc', '1e3', '99999999999999999999999', '5, 6', '0x10', '', '25000000'];
      return {
        kind: 'length that is none',
        parts: [
          wholeRequest('POST /classify', { ...jpeg, 'Content-Length': pick(random, lengths) }, good.jpeg),
        ],
      };
    },
    () => ({
      kind: 'two lengths',
      parts: [wholeRequest('POST /classify', { ...chunked, 'Content-Length': 5 }, good.jpeg)],
    }),
    (random) => {
      const bodies = [
        noise(random, 300), 'zz\r\nabc\r\n0\r\n\r\n', 'ffffffffffffffff\r\nabc', '-5\r\nabc\r\n', `3;${letters(20_000)}\r\nabc\r\n0\r\n\r\n`,
        '3\r\nabcdef\r\n0\r\n\r\n', '0\r\nX-A: b\r\n\r\n', `0\r\n${'X-A: b\r\n'.repeat(3000)}\r\n`, '\r\n\r\n',
      ]; // prettier-ignore
      const body = Buffer.from(pick(random, bodies) as string);
      return { kind: 'chunks that are none', parts: [head('POST /classify', chunked), body], then: 'end' };
    },
    (random) => ({
      kind: 'junk behind a request',
      parts: [
        wholeRequest('POST /classify', { ...jpeg, Connection: 'keep-alive' }, noise(random, 200)),
        pick(random, [
          noise(random, 500),
          Buffer.from('\r\n'.repeat(500) + 'X'),
          Buffer.from(letters(70_000)),
        ]),
      ],
      untilClosed: true,
      then: 'end',
    }),
    (random) => {
      const garbage = [
        noise(random, 1 + random.integer(3000)), '\r\n'.repeat(100) + 'x', 'GET / HTTP/9.9\r\n\r\n', 'GET /\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00', 'GET / HTTP/1.1\r\n\r\n', letters(100_000),
        'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 'GET / HTTP/1.1\nHost: a\n\n', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
        'GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n',
      ]; // prettier-ignore
      return { kind: 'no HTTP at all', parts: [Buffer.from(pick(random, garbage) as string)], then: 'end' };
    },
    (random) => {
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`X-${i}`, 'y']));
      const headers = pick(random, [
        { 'X-A': letters(20_000) },
        { Cookie: letters(100_000) },
        many,
        { [letters(20_000)]: 'a' },
      ]);
      return { kind: 'huge headers', parts: [head('GET /healthz', headers)] };
    },
    (random) => {
      const headers = pick<Record<string, string>>(random, [
        { Expect: '200-maybe' },
        { Expect: '100-continue', 'Content-Length': '5' },
        { Upgrade: 'websocket', Connection: 'Upgrade' },
        { Host: '' },
        { Host: '\xff\xff' },
        { 'X-Request-Id': '\xff'.repeat(3000) },
        { 'If-Registry-Revision': pick(random, ['-1', 'x', '1e9', '9'.repeat(400)]) },
        { Authorization: 'Bearer ' + letters(5000) },
        { 'X-Forwarded-For': 'x, y', Forwarded: ';;;' },
        { Origin: 'null' },
        { Range: 'bytes=-9999999999' },
        { TE: 'trailers, deflate;q=0.5' },
      ]);
      const start = pick(random, [
        'POST /classify',
        'POST /classes',
        'GET /classes',
        'GET /docs',
        'GET /openapi.json',
      ]);
      return { kind: 'odd headers', parts: [head(start, headers)], then: 'end' };
    },
  ];
}
