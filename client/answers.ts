/** What the server takes and answers, as its contract has it. */
export type {
  ClassListResponse,
  ClassResponse,
  CreatedManyResponse,
  CreatedResponse,
  DryRunResponse,
  NewClass,
} from '../server/contract/class-schemas.js';
export type {
  AttributesResponse,
  ClassifyManyResponse,
  ClassifyResponse,
  ProblemResponse,
  ReadinessResponse,
} from '../server/contract/schemas.js';
