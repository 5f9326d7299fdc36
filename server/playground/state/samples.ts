/** Pictures of the demonstration, to begin with. They are shown with the demonstration model only, since other models cannot recognise them. */
import { computed } from '@preact/signals';
import { demonstrationModel } from './demonstration-model.js';
import { model } from './model.js';

export interface Sample {
  readonly name: string;
  readonly address: string;
}

const files = import.meta.glob<string>('../samples/*.jpg', { eager: true, query: '?url', import: 'default' });

const all: readonly Sample[] = Object.entries(files).map(([path, address]) => ({
  name: path.replace(/^.*\/(.*)\.jpg$/, '$1').replaceAll('-', ' '),
  address,
}));

export const samples = computed(() => (model.value?.model.name === demonstrationModel ? all : []));
