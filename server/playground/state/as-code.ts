/** The question that the page asks, for a terminal and for a program. */
import { figure } from './figures.js';
import { chosen, shownClasses, unseenBias } from './picture.js';

const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const address = (): string => new URL('.', document.baseURI).href.replace(/\/$/, '');

export function asCurl(): string {
  const { name, type } = questioned();
  const query = new URLSearchParams({ topK: String(shownClasses), explain: 'true' });
  if (unseenBias.value !== null) query.set('unseenBias', figure(unseenBias.value));
  return [
    `curl --data-binary ${shellWord(`@${name}`)}`,
    `-H 'Content-Type: ${type}'`,
    shellWord(`${address()}/classify?${query.toString()}`),
  ].join(' ');
}

export function asTypeScript(): string {
  const { name } = questioned();
  const bias = unseenBias.value === null ? '' : `, unseenBias: ${figure(unseenBias.value)}`;
  return `import { readFile } from 'node:fs/promises';
import { UnseenClient } from 'unseen/client';

const client = new UnseenClient({ url: ${JSON.stringify(address())} });
const picture = await readFile(${JSON.stringify(name)});
const { predictions } = await client.classify(picture, { topK: ${shownClasses}, explain: true${bias} });
console.log(predictions);
`;
}

function questioned(): { name: string; type: string } {
  const picture = chosen.value;
  const type = picture?.content.type || 'image/jpeg';
  const name = picture?.name ?? 'picture';
  return { name: /\.\w+$/.test(name) ? name : `${name}.${type.split('/')[1].replace('jpeg', 'jpg')}`, type };
}
