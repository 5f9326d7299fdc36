/** What the model that serves is like: its attributes, and the range of the balance between seen and unseen. */
import { computed, signal } from '@preact/signals';
import type { AttributesResponse, UnseenProblem } from '../../../client/index.js';
import { ask, asProblem } from './api.js';
import { familiesOf, type Attribute } from './attribute-families.js';

export const model = signal<AttributesResponse | null>(null);
export const modelProblem = signal<UnseenProblem | null>(null);

export const attributeFamilies = computed(() => familiesOf(model.value?.attributes ?? []));
export const attributesByName = computed(
  () =>
    new Map<string, Attribute>(
      attributeFamilies.value.flatMap(({ attributes }) => attributes.map((one) => [one.name, one] as const)),
    ),
);

export async function fetchModel(): Promise<void> {
  try {
    model.value = await ask((client) => client.attributes());
    modelProblem.value = null;
  } catch (error) {
    modelProblem.value = asProblem(error);
  }
}

/** As the sliders call it. */
export function attributeWords(name: string): string {
  const known = attributesByName.value.get(name);
  return known ? `${known.family} ${known.label}` : name;
}
