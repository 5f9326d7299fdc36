/** What the server says to programs names routes; people at a terminal have commands for some of them. */
export function commandsFor(detail: string): string {
  return detail
    .replace(/GET \/(classes|groups) lists them/g, '"unseen $1 list" lists them')
    .replace(/GET \/classes\/\S+\/versions lists them/g, '"unseen classes versions" lists them');
}
