import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { serverSettings, variableOf } from '../../server/configuration.js';
import { readDockerfile } from '../support/dockerfile.js';

interface Service {
  readonly image: string;
  readonly build?: { readonly target: string; readonly args: Record<string, string> };
  readonly environment?: Record<string, string>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly depends_on?: Record<string, unknown>;
}
interface Compose {
  readonly services: Record<string, Service>;
  readonly volumes: Record<string, unknown>;
}

const project = new URL('../../', import.meta.url);
const { services, volumes } = parse(readFileSync(new URL('compose.yaml', project), 'utf8')) as Compose;

test('brings the server, PostgreSQL, Prometheus and Grafana, each at a fixed version', () => {
  expect(Object.keys(services)).toEqual(['server', 'postgres', 'prometheus', 'grafana']);
  for (const { image } of Object.values(services))
    expect(image).toMatch(/:(v?\d[\w.-]*|\$\{UNSEEN_TAG:-\d[\w.]*\})$/);
});

test('publishes on loopback only', () => {
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test('waits only for services that are there, and mounts only volumes that are declared', () => {
  for (const { depends_on: needed = {}, volumes: mounts = [] } of Object.values(services)) {
    for (const name of Object.keys(needed)) expect(services).toHaveProperty(name);
    for (const mount of mounts)
      if (!mount.startsWith('./')) expect(volumes).toHaveProperty(mount.split(':')[0]);
  }
});

test('mounts only files that exist', () => {
  for (const { volumes: mounts = [] } of Object.values(services))
    for (const mount of mounts.filter((one) => one.startsWith('./')))
      expect(existsSync(new URL(mount.split(':')[0], project)), mount).toBe(true);
});

test('the server is locked down, and knows every setting and build argument that it is given', () => {
  const { server } = services;
  expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  const known = serverSettings.map(variableOf);
  for (const variable of Object.keys(server.environment ?? {})) expect(known).toContain(variable);
  const { text, stages } = readDockerfile(new URL('Dockerfile', project));
  expect(stages.map(({ name }) => name)).toContain(server.build?.target);
  for (const argument of Object.keys(server.build?.args ?? {})) expect(text).toContain(`\nARG ${argument}=`);
});
