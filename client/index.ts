/** `import { UnseenClient } from 'unseen/client'`: for Node and browsers, without dependencies. */
export {
  UnseenClient,
  type AdaptOptions,
  type CallOptions,
  type ClassPage,
  type ClassifyOptions,
  type GroupPage,
  type ImportOptions,
  type NamedPicture,
  type Readiness,
  type PutGroupOptions,
  type ReadOptions,
  type RemovedPage,
  type RestoreOptions,
  type UnseenClientOptions,
  type VersionPage,
  type WithPictures,
} from './client.js';
export { answerCells, answerHeader, cellText, csvLine, type AnswerOfFile, type Separator } from './csv.js';
export { classParts } from './class-parts.js';
export type { Picture } from './picture.js';
export { UnseenProblem, type ProblemDetails } from './unseen-problem.js';
export type * from './answers.js';
