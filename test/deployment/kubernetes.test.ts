/** k8s/ as an API server would see it: every object against its type, unknown keys refused, and what must fit together. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { serverSettings, variableOf } from '../../server/configuration.js';
import {
  parseObjects,
  problemsOf,
  readObjects,
  type KubernetesObject,
} from '../support/kubernetes-objects.js';

const folder = fileURLToPath(new URL('../../k8s', import.meta.url));
const written = readObjects(folder);
const isPatch = (file: string): boolean => file.endsWith('-patch.yaml');
// From kubectl 1.27 on; Debian's is older, and knows neither components nor our labels.
const client = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
const hasKubectl = client.status === 0 && /"kustomizeVersion": "v([5-9]|\d\d)/.test(client.stdout);
const overlays = ['overlays/cpu', 'overlays/gpu'];
const jobs = ['backbone', 'extract', 'merge', 'train', 'sweep'].map((name) => `jobs/${name}`);

function render(path: string): KubernetesObject[] {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', `${folder}/${path}`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return parseObjects(stdout);
}

function find(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  return objects.find((object) => object.kind === kind)!;
}

test.each(written)(
  '$file: $object.kind $object.metadata.name has the right fields and no others',
  ({ file, object }) => {
    expect(problemsOf(object, { patch: isPatch(file) })).toEqual([]);
  },
);

describe('the check itself', () => {
  /** Maps whose keys are anybody's choice. */
  const free =
    /(^Service\/spec\/selector|labels|matchLabels|limits|requests|annotations|triggers\/0\/metadata)$/i;

  function objectsIn(value: unknown, path: string): { path: string; object: Record<string, unknown> }[] {
    if (typeof value !== 'object' || value === null) return [];
    const inner = Object.entries(value).flatMap(([key, child]) => objectsIn(child, `${path}/${key}`));
    return Array.isArray(value) || free.test(path)
      ? inner
      : [{ path, object: value as Record<string, unknown> }, ...inner];
  }

  test.each(written)('refuses a key too many anywhere in $file: $object.kind', ({ file, object }) => {
    const copy = structuredClone(object);
    for (const { path, object: place } of objectsIn(copy, object.kind)) {
      place.misspelt = 'x';
      expect(problemsOf(copy, { patch: isPatch(file) }), path).not.toEqual([]);
      delete place.misspelt;
    }
  });

  test('refuses a wrong type, a missing field and an unknown kind', () => {
    const { object } = written.find(({ file }) => file === 'base/deployment.yaml')!;
    const deployment = structuredClone(object) as unknown as { spec: Record<string, unknown> };
    deployment.spec.replicas = 'two';
    expect(problemsOf(deployment as never).join()).toContain('/spec/replicas');
    delete deployment.spec.replicas;
    delete deployment.spec.selector;
    expect(problemsOf(deployment as never).join()).toContain('selector');
    expect(problemsOf({ ...object, kind: 'Deploymint' })).toHaveLength(1);
  });
});

function expectLockedDown({ securityContext, automountServiceAccountToken, containers }: IPodSpec): void {
  expect(automountServiceAccountToken).toBe(false);
  expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
  expect(securityContext?.seccompProfile?.type).toBe('RuntimeDefault');
  for (const container of containers)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
}

describe.skipIf(!hasKubectl).each(overlays)('%s, rendered', (path) => {
  const objects = hasKubectl ? render(path) : [];
  const deployment = (): IDeployment => find(objects, 'Deployment') as unknown as IDeployment;
  const pod = (): IPodSpec => deployment().spec!.template.spec!;

  test('is valid, in one namespace, without a Secret', () => {
    expect(objects.length).toBeGreaterThan(8);
    for (const object of objects) expect(problemsOf(object), object.kind).toEqual([]);
    for (const { kind, metadata } of objects)
      if (kind !== 'Namespace') expect(metadata.namespace).toBe('unseen');
    expect(find(objects, 'Secret')).toBeUndefined();
  });

  test('has exactly one owner of the number of replicas', () => {
    const owners = objects.filter(({ kind }) => ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind));
    expect(owners).toHaveLength(1);
    expect(owners[0].spec).toMatchObject({ scaleTargetRef: { name: deployment().metadata?.name } });
    expect(deployment().spec).not.toHaveProperty('replicas');
  });

  test('grants no right that the server does not need', () => {
    expectLockedDown(pod());
  });

  test('waits longer than the server takes to end', () => {
    const { data } = find(objects, 'ConfigMap') as unknown as { data: Record<string, string> };
    const own = Number(data.UNSEEN_GRACE_SECONDS) + Number(data.UNSEEN_DRAIN_SECONDS);
    expect(pod().terminationGracePeriodSeconds).toBeGreaterThan(own + 5);
  });

  test('sets only what the server knows', () => {
    const { data } = find(objects, 'ConfigMap') as unknown as { data: Record<string, string> };
    const known = [...serverSettings.map(variableOf), 'UNSEEN_CACHE'];
    const names = [...Object.keys(data), ...pod().containers[0].env!.map(({ name }) => name)];
    for (const name of names) expect(known).toContain(name);
  });

  test('is selected by Service, PodDisruptionBudget, ServiceMonitor and NetworkPolicy', () => {
    const labels = deployment().spec!.template.metadata!.labels!;
    const selectors = [
      (find(objects, 'Service').spec as { selector: object }).selector,
      (find(objects, 'PodDisruptionBudget').spec as { selector: { matchLabels: object } }).selector
        .matchLabels,
      (
        objects.find(({ metadata }) => metadata.name === 'unseen-server')!.spec as {
          podSelector: { matchLabels: object };
        }
      ).podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const monitored = find(objects, 'ServiceMonitor').spec as { selector: { matchLabels: object } };
    expect(find(objects, 'Service').metadata.labels).toMatchObject(monitored.selector.matchLabels);
  });

  test('requests a device exactly when the server is configured to use one', () => {
    const { data } = find(objects, 'ConfigMap') as unknown as { data: Record<string, string> };
    const limits = pod().containers[0].resources!.limits!;
    expect('nvidia.com/gpu' in limits).toBe(data.UNSEEN_PROVIDER === 'cuda');
    expect('nvidia.com/gpu' in limits).toBe(path.endsWith('gpu'));
  });
});

describe.skipIf(!hasKubectl).each(jobs)('%s, rendered', (path) => {
  const objects = hasKubectl ? render(path) : [];

  test('is a valid Job, locked down, with its volumes', () => {
    expect(objects).toHaveLength(1);
    expect(problemsOf(objects[0])).toEqual([]);
    const { spec } = (objects[0] as unknown as IJob).spec!.template;
    expectLockedDown(spec!);
    const volumes = spec!.volumes!.map(({ name }) => name);
    for (const { name } of spec!.containers[0].volumeMounts!) expect(volumes).toContain(name);
  });
});

test('a sharded Job has as many completions as it tells its pods', () => {
  const indexed = written
    .filter(({ object }) => object.kind === 'Job')
    .map(({ object }) => object as unknown as IJob)
    .filter(({ spec }) => spec?.completionMode === 'Indexed');
  expect(indexed).toHaveLength(2);
  for (const { spec } of indexed) {
    const { env, args } = spec!.template.spec!.containers[0];
    expect(env?.find(({ name }) => name === 'SHARES')?.value).toBe(String(spec!.completions));
    expect(args?.[0]).toContain('--shard "$((JOB_COMPLETION_INDEX + 1))/$SHARES"');
  }
});
