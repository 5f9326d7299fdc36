/**
 * Kubernetes objects held against the types of kubernetes-models and its packages for operators. Their validators are compiled
 * code that names wrong and missing fields but lets unknown ones pass, where a real API server would refuse them or, worse, drop
 * them in silence. So the validator is watched: a key that it never looks at is one that it does not know.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Pod } from 'kubernetes-models/v1/Pod';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly spec?: unknown;
}

interface Model {
  readonly apiVersion: string;
  readonly kind: string;
  readonly prototype: { validate(this: unknown): void };
}
interface FieldError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
}

const models: readonly Model[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PrometheusRule,
  ScaledObject,
  Service,
  ServiceMonitor,
];

/** What is wrong with an object, one line each. A patch need not be complete, but must not hold anything unknown either. */
export function problemsOf(object: KubernetesObject, { patch = false } = {}): string[] {
  if (object.apiVersion === 'serving.kserve.io/v1beta1') return problemsOfInferenceService(object);
  const model = models.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (!model) return [`${object.apiVersion} ${object.kind} is not a kind that the tests know`];
  const seen = new Map<string, Set<string>>();
  const wrong = failuresOf(model, watched(object, '', seen));
  return [
    ...wrong
      .filter(({ keyword }) => !(patch && keyword === 'required'))
      .map(({ instancePath, keyword, message }) => `${instancePath} ${message ?? keyword}`),
    ...unseenKeys(object, '', seen),
  ];
}

/** Without an instance of the model: its constructor copies, and so looks at everything. */
function failuresOf(model: Model, data: unknown): readonly FieldError[] {
  try {
    model.prototype.validate.call(data);
    return [];
  } catch (error) {
    const { errors } = error as { errors?: readonly FieldError[] };
    if (!errors) throw error;
    return errors;
  }
}

/** The same object; which keys are read, and where, is noted. */
function watched(value: unknown, path: string, seen: Map<string, Set<string>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const keys = new Set<string>();
  seen.set(path, keys);
  const children = new Map<string, unknown>();
  for (const [key, child] of Object.entries(value)) children.set(key, watched(child, `${path}/${key}`, seen));
  return new Proxy(value, {
    get(target, key) {
      if (typeof key !== 'string' || !children.has(key)) return Reflect.get(target, key) as unknown;
      keys.add(key);
      return children.get(key);
    },
  });
}

function unseenKeys(value: unknown, path: string, seen: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const here = `${path}/${key}`;
    return seen.get(path)?.has(key)
      ? unseenKeys(child, here, seen)
      : [`${here} is not known to ${path || 'the object'}`];
  });
}

/** KServe has no package of types. Its predictor is a pod's specification with these fields more. */
const predictorFields = [
  'minReplicas',
  'maxReplicas',
  'scaleMetric',
  'scaleTarget',
  'containerConcurrency',
  'timeout',
] as const;

function problemsOfInferenceService(object: KubernetesObject): string[] {
  const { kind, metadata, spec } = object;
  const more = Object.keys(object).filter((key) => !['apiVersion', 'kind', 'metadata', 'spec'].includes(key));
  const { predictor, ...others } = spec as { predictor: Record<string, unknown> };
  const podSpec = Object.fromEntries(
    Object.entries(predictor).filter(([key]) => !predictorFields.some((field) => field === key)),
  );
  return [
    ...(kind === 'InferenceService' ? [] : [`${kind} is not a kind of KServe that the tests know`]),
    ...more.map((key) => `/${key} is not known`),
    ...Object.keys(others).map((key) => `/spec/${key} is not known`),
    ...problemsOf({ apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec }),
  ];
}

export function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as KubernetesObject;
  });
}

/** Every object in the files of a folder; kustomizations, which are instructions, stay out. */
export function readObjects(folder: string): { file: string; object: KubernetesObject }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
    .sort()
    .flatMap((file) =>
      parseObjects(readFileSync(join(folder, file), 'utf8')).map((object) => ({ file, object })),
    );
}
