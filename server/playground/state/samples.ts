/** Pictures of the demonstration, to begin with. They are shown with the demonstration model only, since other models cannot recognise them. */
import { computed } from '@preact/signals';
import { demonstrationModel } from './demonstration-model.js';
import { model } from './model.js';
import { choosePicture, chosen } from './picture.js';

export interface Sample {
  readonly name: string;
  readonly address: string;
}

const files = import.meta.glob<string>('../samples/*.jpg', { eager: true, query: '?url', import: 'default' });

const all: readonly Sample[] = Object.entries(files).map(([path, address]) => ({
  name: path.replace(/^.*\/(.*)\.jpg$/, '$1').replaceAll('-', ' '),
  address,
}));

/** One is answered before anything is clicked: what the page does is clear from that. */
const greeting = 'Mike';

export async function loadSample({ name, address }: Sample, isGreeting = false): Promise<void> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const picture = await response.blob();
  if (!isGreeting || !chosen.value) void choosePicture(picture, name, isGreeting);
}

export function greetWithSample(): void {
  const sample = samples.value.find(({ name }) => name === greeting);
  // The page is as good without it, so that a failure is not worth a word.
  if (sample && !chosen.value) loadSample(sample, true).catch(() => undefined);
}

export const samples = computed(() => (model.value?.model.name === demonstrationModel ? all : []));
