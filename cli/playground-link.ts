/** The playground with the key for changes. What follows the # stays in the browser: no server, proxy or log gets it. */
export function playgroundLink(url: string, key: string): string {
  return `${url}/#key=${encodeURIComponent(key)}`;
}
