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
  readonly mem_limit?: string;
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
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published).toHaveLength(3); // the server, Prometheus and Grafana
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test('every service has a limit of memory, and the database no password that everybody knows', () => {
  for (const { mem_limit: limit } of Object.values(services)) expect(limit).toMatch(/^\d+[mg]$/);
  const required = /\$\{POSTGRES_PASSWORD:\?[^}]+\}/;
  expect(services.postgres.environment?.POSTGRES_PASSWORD).toMatch(required);
  expect(services.server.environment?.UNSEEN_REGISTRY).toMatch(required);
  expect(readFileSync(new URL('compose.yaml', project), 'utf8')).not.toMatch(/PASSWORD:-/);
});

test('waits only for services that are there, and mounts only volumes that are declared', () => {
  const all = Object.values(services);
  const needed = all.flatMap(({ depends_on: dependencies = {} }) => Object.keys(dependencies));
  expect(needed).toContain('postgres');
  for (const name of needed) expect(services).toHaveProperty(name);
  const mounted = all.flatMap(({ volumes: mounts = [] }) => mounts).filter((one) => !one.startsWith('./'));
  expect(new Set(mounted.map((mount) => mount.split(':')[0]))).toEqual(new Set(Object.keys(volumes)));
});

test('mounts only files that exist', () => {
  const mounted = Object.values(services)
    .flatMap(({ volumes: mounts = [] }) => mounts)
    .filter((mount) => mount.startsWith('./'));
  expect(mounted).not.toEqual([]);
  for (const mount of mounted) expect(existsSync(new URL(mount.split(':')[0], project)), mount).toBe(true);
});

test('the server is locked down, and knows every setting and build argument that it is given', () => {
  const { server } = services;
  expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  const known = serverSettings.map(variableOf);
  const given = Object.keys(server.environment ?? {});
  expect(given).toContain('UNSEEN_REGISTRY');
  for (const variable of given) expect(known).toContain(variable);
  const { text, stages } = readDockerfile(new URL('Dockerfile', project));
  expect(stages.map(({ name }) => name)).toContain(server.build?.target);
  for (const argument of Object.keys(server.build?.args ?? {})) expect(text).toContain(`\nARG ${argument}=`);
});
