/** What outlives a reload of the page and ends with its tab. Browsers that are told to keep nothing refuse the storage itself. */
export function inTabStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(sessionStorage);
  } catch {
    return undefined;
  }
}
