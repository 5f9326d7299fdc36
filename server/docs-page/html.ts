/** Text as HTML: nothing of it is ever markup, save for what is put around it here. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

/** The little Markdown that descriptions use: paragraphs, and code between backticks. */
export function prose(text: string | undefined): string {
  if (text === undefined) return '';
  return text
    .split(/\n\n+/)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

export function inline(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function json(value: unknown): string {
  return escape(JSON.stringify(value, null, 2));
}
