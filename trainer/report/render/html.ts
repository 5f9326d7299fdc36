/** Text that is HTML already. Whatever else is put into `html` is escaped: names come from datasets, which are not trusted. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Piece = Markup | string | number | null | false | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Markup {
  return new Markup(strings.reduce((text, part, i) => text + render(pieces[i - 1]) + part));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

function render(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  if (piece === null || piece === false) return '';
  return typeof piece === 'object' ? piece.map(render).join('') : escape(String(piece));
}
