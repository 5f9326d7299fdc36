/** What the server takes and answers, as its contract has it. */
export type {
  AdaptationListResponse,
  AdaptationReportResponse,
  AdaptationResponse,
  DryRunAdaptationResponse,
  PoolDetailResponse,
  PooledResponse,
  PoolListResponse,
} from '../server/contract/adaptation-schemas.js';
export type {
  AddedExamplesResponse,
  ClassBackup,
  ClassListResponse,
  ClassResponse,
  CreatedManyResponse,
  CreatedResponse,
  DryRunResponse,
  ExampleListResponse,
  ImportedResponse,
  NewClass,
  ReloadPreviewResponse,
  RemovedListResponse,
  StoredExamplesResponse,
  VersionListResponse,
  VersionResponse,
} from '../server/contract/class-schemas.js';
export type { ClassOfPool, DiscoveryResponse } from '../server/contract/discovery-schemas.js';
export type {
  GroupContent,
  GroupListResponse,
  GroupResponse,
  StoredGroupResponse,
} from '../server/contract/group-schemas.js';
export type {
  AttributesResponse,
  ClassifyManyResponse,
  ClassifyResponse,
  ProblemResponse,
  ReadinessResponse,
  ReloadResponse,
} from '../server/contract/schemas.js';
