/** The classes that are not missing: those of the bundle or, with a registry, all that a server with both would answer. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { applyHeadChange } from '../../core/head/head-change.js';
import { HeadTable } from '../../core/head/head-table.js';
import type { CommandContext } from '../context.js';
import { notedLogger } from '../noted-logger.js';

export async function knownClasses(
  bundle: Bundle,
  registry: string | undefined,
  context: CommandContext,
): Promise<HeadTable> {
  if (registry === undefined) return HeadTable.ofBundle(bundle);
  // Loaded when needed: without a registry nothing of a server is.
  const { readClasses } = await import('../../server/classes/read-classes.js');
  const { head, unusable } = await readClasses(registry, bundle, await notedLogger(context, 'error'));
  for (const { name, unusable: reason } of unusable)
    context.note(`The class ${name} cannot be used with this bundle: ${reason}.`);
  const added = head.put.filter(({ described }) => described.runtime).length;
  context.note(`Classes of the registry that are known besides those of the bundle: ${added}.`);
  const table = new HeadTable(bundle.manifest.featureMap.mappedWidth, head.put.length);
  applyHeadChange(table, head);
  return table;
}
