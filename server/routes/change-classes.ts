import type { Request } from 'express';
import type { ChangeResult, Classes, RegistryChange, Remembering } from '../classes/contract.js';
import { auditChange } from '../http/audit.js';
import { contextOf } from '../http/request-context.js';

/** Changes classes in the name of the caller's key, and leaves a line in the audit log. */
export async function changeClasses(
  request: Request,
  classes: Classes,
  changes: readonly RegistryChange[],
  remembering?: Remembering,
): Promise<ChangeResult> {
  const result = await classes.change(changes, { remembering, by: contextOf(request).caller?.name });
  auditChange(request, result);
  return result;
}
