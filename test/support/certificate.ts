/** A self-signed certificate for 127.0.0.1 and localhost, made for a test: X.509 v3 in DER, with an elliptic key. */
import { Agent, request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
const time = (date: Date): Buffer => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')));

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

/** `name` tells certificates apart; `days` may be negative: it has expired then. */
export function makeCertificate(name: string, days = 30): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(0x31, sequence(identifier('550403'), text(name))));
  const now = Date.now();
  const until = new Date(now + days * 86_400_000);
  const validity = sequence(time(new Date(Math.min(now, until.getTime()) - 86_400_000)), time(until));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = der(
    0xa3,
    sequence(
      sequence(identifier('551d11'), der(0x04, names)), // subjectAltName
      sequence(
        identifier('551d13'),
        der(0x01, Buffer.from([255])),
        der(0x04, sequence(der(0x01, Buffer.from([255])))),
      ), // it is its own authority
    ),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** The status, and whose certificate the server showed. */
export function askOverTls(
  url: string,
  agent: Agent,
  trusted: readonly TestCertificate[],
): Promise<{ status: number; name: string }> {
  return new Promise((resolve, reject) => {
    request(url, { agent, ca: trusted.map(({ cert }) => cert) }, (response) => {
      const name = (response.socket as TLSSocket).getPeerCertificate().subject.CN as string;
      response.resume();
      response.on('end', () => {
        resolve({ status: response.statusCode!, name });
      });
    })
      .on('error', reject)
      .end();
  });
}

/** A new connection for each request, with nothing remembered of the last. */
export const freshAgent = (): Agent => new Agent({ keepAlive: false, maxCachedSessions: 0 });
