/**
 * The key that came with the link to this page, which a server prints for whoever started it: `/#key=KEY`. What follows the # is
 * never sent to a server. The key is taken out of the address at once, and kept for this tab only, so that it outlives a reload.
 */
import { inTabStorage } from './tab-storage.js';

const entry = 'unseen-key';

export function linkedKey(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given === null) return inTabStorage((storage) => storage.getItem(entry)) ?? undefined;
  history.replaceState(null, '', location.pathname + location.search);
  inTabStorage((storage) => {
    storage.setItem(entry, given);
  });
  return given;
}

export function forgetLinkedKey(): void {
  inTabStorage((storage) => {
    storage.removeItem(entry);
  });
}
