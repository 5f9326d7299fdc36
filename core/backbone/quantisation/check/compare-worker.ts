/** The process in which networks are compared, so that their memory is given back when it ends. Started by machine-check.ts. */
import { parentProcess } from '../../../channel/processes.js';
import { serveRequests } from '../../../channel/serve.js';
import { compareNetworks, type Comparison, type ComparisonRequest } from './compare.js';

export interface ComparisonRequests {
  compare(request: ComparisonRequest): Comparison;
}

serveRequests<ComparisonRequests>(parentProcess(), { compare: compareNetworks });
