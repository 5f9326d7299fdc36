import type { PathGroup } from '../openapi-types.js';
import { adaptationPaths } from './adaptations.js';
import { attributesPaths } from './attributes.js';
import { classesPaths } from './classes.js';
import { classifyPaths } from './classify.js';
import { examplePaths } from './examples.js';
import { groupPaths } from './groups.js';
import { discoveryPaths } from './discovery.js';
import { documentPaths } from './documents.js';
import { openInferencePaths } from './open-inference.js';
import { operationsPaths } from './operations.js';

/** One file for each group of routes, in the order in which readers meet them. */
export const pathGroups: readonly PathGroup[] = [
  classifyPaths,
  classesPaths,
  examplePaths,
  groupPaths,
  adaptationPaths,
  discoveryPaths,
  attributesPaths,
  openInferencePaths,
  operationsPaths,
  documentPaths,
];
