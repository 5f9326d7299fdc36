/**
 * The key that came with the link to this page, which a server prints for whoever started it: `/#key=KEY`. What follows the # is
 * never sent to a server. The key is taken out of the address at once, and kept for this tab only, so that it outlives a reload.
 */
const entry = 'unseen-key';

export function linkedKey(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given === null) return inStorage((storage) => storage.getItem(entry)) ?? undefined;
  history.replaceState(null, '', location.pathname + location.search);
  inStorage((storage) => {
    storage.setItem(entry, given);
  });
  return given;
}

export function forgetLinkedKey(): void {
  inStorage((storage) => {
    storage.removeItem(entry);
  });
}

/** Browsers that are told to keep nothing refuse the storage itself; the key is then gone with a reload. */
function inStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(sessionStorage);
  } catch {
    return undefined;
  }
}
