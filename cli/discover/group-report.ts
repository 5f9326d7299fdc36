/** What `unseen discover` found, as the files of its report have it. */
import type { DiscoveredGroup, Discovery } from '../../core/discovery/discovery.js';
import { csvLine } from '../../client/index.js';

export interface ReportedGroup extends Omit<DiscoveredGroup, 'members'> {
  /** Until a person names it. */
  readonly name: string;
  /** Pictures or rows, the most typical first. */
  readonly members: readonly string[];
}

/** Of a group so many pictures are copied, to become examples of the class. */
export const maxExamples = 20;
/** What is read less surely than that is left for the server to fill in, where pictures come with the class. */
const sureEnough = 0.5;

export function reportedGroups({ groups }: Discovery, names: readonly string[]): ReportedGroup[] {
  return groups.map((group, i) => ({
    ...group,
    name: `group-${i + 1}`,
    members: group.members.map((row) => names[row]),
  }));
}

/** One line for each group, for people. */
export function groupsTable(groups: readonly ReportedGroup[]): string {
  const header = [
    'group',
    'pictures',
    'looseness',
    'novelty',
    'nearest classes',
    'doubts',
    'typical pictures',
  ];
  const lines = groups.map(({ name, members, looseness, novelty, nearest, doubts }) => [
    name,
    members.length,
    rounded(looseness),
    rounded(novelty),
    nearest.map((one) => `${one.name} ${(100 * one.probability).toFixed(0)} %`).join('; '),
    doubts.join(' '),
    members.slice(0, 5).join('; '),
  ]);
  return [header, ...lines].map((cells) => csvLine(cells)).join('');
}

/** For `unseen classes add`: with pictures, only what is read surely; the server fills in the rest from these. */
export function classesTable(groups: readonly ReportedGroup[], hasPictures: boolean): string {
  if (groups.length === 0) return '';
  const attributes = groups[0].attributes.map(({ name }) => name);
  const header = ['class', ...(hasPictures ? ['examples'] : []), ...attributes];
  const lines = groups.map(({ name, attributes: read }) => [
    name,
    ...(hasPictures ? [`examples/${name}`] : []),
    ...read.map(({ value, certainty }) => (hasPictures && certainty < sureEnough ? '' : value)),
  ]);
  return [header, ...lines].map((cells) => csvLine(cells)).join('');
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
