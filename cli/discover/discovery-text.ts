/** What `unseen discover` says at its end. */
import { percent } from '../../core/percent.js';
import type { UnlabelledPool } from '../../trainer/adaptation/unlabelled-pool.js';
import type { ReportedDiscovery } from './write-report.js';
import { describeLeftOut } from '../unlabelled-inputs.js';

/** How many groups there are, and of how many pictures. */
export function foundSentence(
  groups: readonly { readonly members: readonly unknown[] }[],
  pictures: number,
): string {
  const inGroups = groups.reduce((sum, { members }) => sum + members.length, 0);
  if (groups.length === 0)
    return `No group among the ${pictures} pictures looks like a missing class. A class with fewer than about twenty pictures among them may be missed.`;
  if (groups.length === 1)
    return `1 group with ${inGroups} of ${pictures} pictures looks like a class that the model does not know.`;
  return `${groups.length} groups with ${inGroups} of ${pictures} pictures look like classes that the model does not know.`;
}

export function discoveryText(
  { groups, ungrouped, advice }: Pick<ReportedDiscovery, 'groups' | 'ungrouped' | 'advice'>,
  pool: Pick<UnlabelledPool, 'leftOut'> & { readonly features: Pick<UnlabelledPool['features'], 'rows'> },
  out: string,
): string {
  const rest = [
    ...(ungrouped.length > 0 ? [`${advice} They are listed in ${out}/groups.json as "ungrouped".`] : []),
    ...pool.leftOut.map((one) => `Left out: ${describeLeftOut(one)}`),
  ];
  if (groups.length === 0)
    return [foundSentence(groups, pool.features.rows), ...rest, `Report: ${out}`].join('\n');
  return [
    foundSentence(groups, pool.features.rows).replace(/\.$/, ':'),
    ...groups.map(({ name, members, nearest, doubts }) => {
      const near = nearest.map((one) => `${one.name} ${percent(one.probability)} %`).join(', ');
      return [
        `  ${name}: ${members.length} pictures, such as ${members.slice(0, 2).join(' and ')}; taken for ${near}`,
        ...doubts.map((doubt) => `    ${doubt}`),
      ].join('\n');
    }),
    ...rest,
    `Look at ${out}/groups.html, name the classes in ${out}/classes.csv, then: unseen classes add ${out}/classes.csv`,
  ].join('\n');
}
