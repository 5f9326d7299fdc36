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
      UNSEEN_ADMIN_KEYS: 'a, b,',
      UNSEEN_HOST: '',
    };
    expect(readServerConfiguration({ port: '9002' }, environment)).toMatchObject({
      port: 9002,
      batchSize: 4,
      adminKeys: ['a', 'b'],
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
  ])('%j is refused with its name and the reason', (environment, message) => {
    expect(() => readServerConfiguration({}, environment)).toThrow(message);
  });

  test('a flag that is wrong is named as a flag, and all that is wrong is named at once', () => {
    expect(() => readServerConfiguration({ batchSize: 'x', deadlineSeconds: '0' }, {})).toThrow(
      /--batch-size "x"[^]*--deadline-seconds "0"/,
    );
  });
});
