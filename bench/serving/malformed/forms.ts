/** multipart/form-data that is broken, nested, endless, or not what the route takes. */
import type { Random } from '../../../core/random.js';
import type { PictureSeeds } from './pictures.js';
import { head, noise, pick, wholeRequest, type MakeRequest, type MalformedRequest } from './request.js';

const boundary = 'abcdef';
const formType = `multipart/form-data; boundary=${boundary}`;
const lines = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => [Buffer.from(part as string), Buffer.from('\r\n')]));
const file = 'Content-Disposition: form-data; name="image"; filename="a.png"';

export function formKinds({ good }: PictureSeeds): MakeRequest[] {
  const png = good.png;
  const form = (kind: string, make: (random: Random) => Uint8Array, type = formType): MakeRequest => {
    return (random) => ({
      kind,
      parts: [wholeRequest('POST /classify', { 'Content-Type': type }, make(random))],
    });
  };
  const part = (header: string, content: Uint8Array = png): Buffer =>
    lines(`--${boundary}`, header, '', content, `--${boundary}--`);
  return [
    (random) => {
      const types = [
        '',
        '; boundary',
        '; boundary=',
        '; boundary=""',
        `; boundary=${'x'.repeat(300)}`,
        ';;;=',
      ];
      return form(
        'form without its boundary',
        () => part(file),
        `multipart/form-data${pick(random, types)}`,
      )(random);
    },
    form('form with another boundary', () => part(file), 'multipart/form-data; boundary=zzz'),
    form('form that does not end', (random) => {
      const bytes = part(file);
      return bytes.subarray(0, random.integer(bytes.length));
    }),
    form('form of random bytes', (random) => noise(random, random.integer(4096))),
    form('form with random bytes inside', (random) => {
      const bytes = part(file);
      const at = random.integer(bytes.length);
      return Buffer.concat([
        bytes.subarray(0, at),
        noise(random, 20),
        bytes.subarray(at + random.integer(40)),
      ]);
    }),
    form('form within a form', () =>
      part(`${file}\r\nContent-Type: multipart/mixed; boundary=x`, part(file)),
    ),
    form('form of thousands of parts', (random) => {
      const one = lines(
        `--${boundary}`,
        pick(random, [file, 'Content-Disposition: form-data; name="x"']),
        '',
        'a',
      );
      return Buffer.concat(Array.from({ length: 1000 + random.integer(3000) }, () => one));
    }),
    form('form of too many pictures', () => {
      const one = lines(`--${boundary}`, file, '', png);
      return Buffer.concat([...Array.from({ length: 40 }, () => one), Buffer.from(`--${boundary}--\r\n`)]);
    }),
    form('form with huge headers', (random) =>
      part(`${file}\r\nX-${'y'.repeat(random.integer(100_000))}: ${'z'.repeat(random.integer(200_000))}`),
    ),
    form('form with many headers', () => part(`${file}\r\n${'X-A: b\r\n'.repeat(5000)}X-B: c`)),
    form('form with odd headers', (random) => part(pick(random, oddHeaders))),
    form('form with an empty or wrong file', (random) =>
      part(
        file,
        pick(random, [Buffer.alloc(0), Buffer.from('<svg/>'), Buffer.from('GIF89a'), noise(random, 99)]),
      ),
    ),
    (random) => {
      const bytes = part(file);
      const kept = bytes.subarray(0, random.integer(bytes.length));
      const start = head('POST /classify', { 'Content-Type': formType, 'Content-Length': bytes.length });
      const then = pick<NonNullable<MalformedRequest['then']>>(random, ['abort', 'end']);
      return { kind: 'form cut off by the client', parts: [start, kept], then };
    },
  ];
}

const oddHeaders = [
  'Content-Disposition: form-data; name="x"',
  'Content-Disposition: form-data; name="x"; filename="a.png"',
  'Content-Disposition: form-data',
  'Content-Disposition: form-data; name; filename',
  'Content-Disposition: form-data; name=; filename=',
  "Content-Disposition: form-data; name*=utf-99''%zz; filename*=utf-8''%ff%00",
  'Content-Disposition: attachment',
  'Content-Disposition:',
  'Content-Disposition',
  ': : :',
  `${file}\r\nContent-Type`,
  `${file}\r\nContent-Type:`,
  `${file}\r\nContent-Type: image/png; charset`,
  `${file}\r\nContent-Type: ; charset=`,
  `${file}\r\nContent-Type: text/plain; charset=klingon`,
  'Content-Disposition: form-data; name="image"\r\nContent-Type: text/plain; charset=utf-16le',
  `${file}\r\nContent-Transfer-Encoding: base64`,
  `${file}\r\n__proto__: x\r\nconstructor: y`,
  'Content-Disposition: form-data; name="__proto__"; filename="../../etc/passwd"',
  'Content-Disposition: form-data; name="image"; filename="<script>\u202e.png"',
];
