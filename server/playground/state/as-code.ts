/** The question that the page asks, for a terminal and for a program: balance, classes and groups as they are set. */
import type { ClassifyOptions } from '../../../client/index.js';
import { hasKey } from './api.js';
import { restriction } from './may-answer.js';
import { chosen, shownClasses, unseenBias } from './picture.js';

const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const address = (): string => new URL('.', document.baseURI).href.replace(/\/$/, '');

export function asCurl(): string {
  const { name, type } = picture();
  const { groups, ...others } = options();
  const query = new URLSearchParams();
  for (const [parameter, value] of Object.entries({ ...others, group: groups }))
    for (const one of [value ?? []].flat()) query.append(parameter, String(one));
  return [
    `curl --data-binary ${shellWord(`@${name}`)}`,
    `-H 'Content-Type: ${type}'`,
    // The key itself is not copied: what is copied is pasted into tickets and chats. Without one in the environment no header is sent.
    ...(hasKey() ? ['${UNSEEN_KEY:+-H "Authorization: Bearer $UNSEEN_KEY"}'] : []),
    shellWord(`${address()}/classify?${query.toString()}`),
  ].join(' ');
}

export function asTypeScript(): string {
  const given = Object.entries(options()).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `import { readFile } from 'node:fs/promises';
import { UnseenClient } from 'unseen/client';

const client = new UnseenClient({ url: ${JSON.stringify(address())} });
const picture = await readFile(${JSON.stringify(picture().name)});
const { predictions } = await client.classify(picture, { ${given.join(', ')} });
console.log(predictions);
`;
}

type Question = Pick<ClassifyOptions, 'topK' | 'explain' | 'unseenBias'> & typeof restriction.value;

function options(): Question {
  const bias = unseenBias.value;
  return {
    topK: shownClasses,
    explain: true,
    ...(bias !== null && { unseenBias: bias }),
    ...restriction.value,
  };
}

function picture(): { name: string; type: string } {
  const type = chosen.value?.content.type || 'image/jpeg';
  const name = chosen.value?.name ?? 'picture';
  return { name: /\.\w+$/.test(name) ? name : `${name}.${type.split('/')[1].replace('jpeg', 'jpg')}`, type };
}
