import { describe, expect, test } from 'vitest';
import {
  describeSetting,
  flagOf,
  serverConfigurationSchema,
  serverSettings,
  variableOf,
} from '../../server/configuration.js';
import { readServerConfiguration } from '../../server/read-configuration.js';

describe('settings', () => {
  test('have names, help and defaults; every one but keys is a flag and a variable', () => {
    expect(flagOf('bodyMegabytes')).toBe('--body-megabytes');
    expect(variableOf('bodyMegabytes')).toBe('UNSEEN_BODY_MEGABYTES');
    for (const setting of serverSettings) expect(describeSetting(setting).length).toBeGreaterThan(10);
    expect(serverConfigurationSchema.parse({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      batchSize: 8,
    });
  });

  test('a flag wins over the environment, which wins over the default', () => {
    const environment = {
      UNSEEN_PORT: '9001',
      UNSEEN_BATCH_SIZE: '4',
      UNSEEN_ADMIN_KEYS: 'first-key-of-all, ann:second-key-of-all,',
      UNSEEN_HOST: '',
    };
    expect(readServerConfiguration({ port: '9002' }, environment)).toMatchObject({
      port: 9002,
      batchSize: 4,
      adminKeys: ['first-key-of-all', 'ann:second-key-of-all'],
      host: '127.0.0.1',
    });
  });

  test('what Kubernetes sets for a Service called unseen is not taken for a port', () => {
    expect(readServerConfiguration({}, { UNSEEN_PORT: 'tcp://10.0.0.1:8080' }).port).toBe(8080);
  });

  test.each([
    [{ UNSEEN_PORT: 'eighty' }, /UNSEEN_PORT "eighty": a number is expected/],
    [{ UNSEEN_PORT: '70000' }, /UNSEEN_PORT "70000": .*65535/],
    [{ UNSEEN_WORKERS: '1.5' }, /UNSEEN_WORKERS "1.5"/],
    [{ UNSEEN_PROVIDER: 'tpu' }, /UNSEEN_PROVIDER "tpu": .*cuda/],
    [{ UNSEEN_LOG_LEVEL: 'loud' }, /UNSEEN_LOG_LEVEL/],
    [{ UNSEEN_QUEUE_SECONDS: '-1' }, /UNSEEN_QUEUE_SECONDS/],
    [{ UNSEEN_ADMIN_KEYS: ',' }, /UNSEEN_ADMIN_KEYS: there is no key in this list/],
    [{ UNSEEN_API_KEYS: ' , ' }, /UNSEEN_API_KEYS: there is no key in this list/],
    [{ UNSEEN_ADMIN_KEYS: 'fifteen-letters' }, /key 1 is shorter than 16 characters/],
    [{ UNSEEN_API_KEYS: 'long-enough-for-a-key,ann:short' }, /key 2 is shorter than 16/],
    [
      { UNSEEN_API_KEYS: 'ann:changing:long-enough-for-a-key' },
      /role of key 1 must be classifying or reading/,
    ],
    [{ UNSEEN_ADMIN_KEYS: 'ann:reading:long-enough-for-a-key' }, /role of key 1 must be changing here/],
    [{ UNSEEN_ADMIN_KEYS: 'an n:long-enough-for-a-key' }, /name of key 1/],
    [{ UNSEEN_ADMIN_KEYS: 'ann:sha256=abc' }, /64 hexadecimal digits/],
    [{ UNSEEN_TLS_KEY: 'key.pem' }, /UNSEEN_TLS_KEY "key.pem": --tls-certificate is needed as well/],
  ])('%j is refused with its name and the reason', (environment, message) => {
    expect(() => readServerConfiguration({}, environment)).toThrow(message);
  });

  test('no part of a key is repeated in what is refused', () => {
    const environment = { UNSEEN_ADMIN_KEYS: 'ann:some-role:a-secret-that-is-long,b-secret' };
    expect(() => readServerConfiguration({}, environment)).toThrow(/^(?![^]*secret)[^]*key 1[^]*key 2/);
  });

  test('a flag that is wrong is named as a flag, and all that is wrong is named at once', () => {
    expect(() => readServerConfiguration({ batchSize: 'x', deadlineSeconds: '0' }, {})).toThrow(
      /--batch-size "x"[^]*--deadline-seconds "0"/,
    );
  });
});
