import { readFileSync } from 'node:fs';
import { cpus, release, type } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../../core/project-folder.js';
import { configurationSchema } from '../../configuration.js';
import { fingerprint } from '../../datasets/fingerprint.js';
import type { DatasetFacts, EnvironmentFacts, ModelFacts, Setting } from '../report-data.js';
import type { ReportContext } from './report-context.js';

export function datasetFacts({ dataset, bundle }: ReportContext): DatasetFacts {
  const { splits } = dataset;
  const found = fingerprint(dataset);
  return {
    name: dataset.name,
    fingerprint: found,
    isTrainingData: found === bundle.manifest.dataset.fingerprint,
    seenClasses: dataset.seen.length,
    unseenClasses: dataset.unseen.length,
    attributes: dataset.attributeNames.length,
    featureWidth: dataset.features.columns,
    rows: {
      train: splits.train.length,
      testSeen: splits.testSeen.length,
      testUnseen: splits.testUnseen.length,
    },
  };
}

export function modelFacts({ bundle, configuration }: ReportContext): ModelFacts {
  const { manifest, identity } = bundle;
  return {
    identity,
    method: manifest.method,
    seed: manifest.seed,
    backbone: manifest.backbone,
    settings: settingsOf(configuration),
    files: Object.entries(manifest.files).map(([name, { bytes, sha256 }]) => ({ name, bytes, sha256 })),
  };
}

export function environmentFacts(): EnvironmentFacts {
  const { version } = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  const processors = cpus();
  return {
    version,
    node: process.version,
    system: `${type()} ${release()} (${process.arch})`,
    processor: `${processors.length} × ${processors.at(0)?.model.trim() ?? 'unknown'}`,
    madeAt: new Date().toISOString(),
  };
}

function settingsOf(configuration: object): Setting[] {
  const defaults = new Map(flatten(configurationSchema.parse({})));
  return flatten(configuration).map(([path, value]) => ({
    path,
    value,
    isDefault: defaults.get(path) === value,
  }));
}

function flatten(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, string][] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? flatten(inner, path)
      : [[path, JSON.stringify(inner)]];
  });
}
