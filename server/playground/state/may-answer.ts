/** Which classes may answer: some of them, those of a group, and how likely one must be. Kept as long as the page is. */
import { computed, signal } from '@preact/signals';
import type { ClassifyOptions, GroupListResponse } from '../../../client/index.js';
import { classes } from './classes.js';
import { counted, percentInWords } from './figures.js';
import { askUpToDate } from './revision.js';

type ListedGroup = GroupListResponse['groups'][number];

export const allowedClasses = signal<readonly string[]>([]);
export const allowedGroup = signal('');
export const family = signal('');
/** In percent; 0 shows all. */
export const leastPercent = signal(0);
/** Null until somebody looks. */
export const groups = signal<readonly ListedGroup[] | null>(null);

export const groupFamilies = computed(() =>
  [...new Set((groups.value ?? []).flatMap((group) => group.family ?? []))].sort(),
);

/** What changes probabilities; the rest of `restriction` only changes what is shown of them. */
export const mayAnswer = computed<Pick<ClassifyOptions, 'classes' | 'groups'>>(() => ({
  ...(allowedClasses.value.length > 0 && { classes: allowedClasses.value }),
  ...(allowedGroup.value !== '' && { groups: [allowedGroup.value] }),
}));

export const restriction = computed<
  typeof mayAnswer.value & Pick<ClassifyOptions, 'groupBy' | 'minProbability'>
>(() => ({
  ...mayAnswer.value,
  ...(family.value !== '' && { groupBy: family.value }),
  ...(leastPercent.value > 0 && { minProbability: leastPercent.value / 100 }),
}));

/** What is set, in one line. */
export function restrictionWords(): string {
  const who = [
    ...(allowedClasses.value.length > 0 ? [counted(allowedClasses.value.length, 'class', 'classes')] : []),
    ...(allowedGroup.value === '' ? [] : [`the group ${allowedGroup.value}`]),
  ];
  const words = [
    who.length > 0 ? `Only ${who.join(' and ')} may answer` : 'All classes may answer',
    ...(leastPercent.value > 0 ? [`from ${percentInWords(leastPercent.value / 100)} on`] : []),
  ];
  return `${words.join(', ')}.`;
}

/** Null when there is such a class, and it was added. */
export function allowClass(name: string): string | null {
  if (!(classes.value ?? []).some((one) => one.name === name))
    return `There is no class “${name}”. Pick one from the list.`;
  if (!allowedClasses.value.includes(name)) allowedClasses.value = [...allowedClasses.value, name];
  return null;
}

export function allowAll(): void {
  allowedClasses.value = [];
  allowedGroup.value = '';
  family.value = '';
  leastPercent.value = 0;
}

export async function loadGroups(): Promise<void> {
  const found: ListedGroup[] = [];
  let after: string | undefined;
  do {
    const page = await askUpToDate((client, atLeastRevision) => client.groups({ after, atLeastRevision }));
    found.push(...page.groups);
    after = page.next;
  } while (after !== undefined);
  groups.value = found;
}
