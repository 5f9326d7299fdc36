/** What the server says to programs, for people: without routes, headers and options, and without the noise of floating point. */
import { figure } from './figures.js';

const apiWords =
  /\b(?:GET|POST|PUT|DELETE|PATCH) \/|\b(?:If-[A-Z]\w+|Content-Type|ETag|UNSEEN_[A-Z]+)\b|(?:^|\s)--[a-z]/;

/** Clauses that only a program can act on are left out; the rest of a sentence stays. */
export function plainWords(text: string): string {
  return tidyNumbers(text)
    .replace(/ \(--[a-z-]+\)/g, '')
    .split(/(?<=[.!?]) /)
    .map(plainSentence)
    .filter(Boolean)
    .join(' ');
}

function plainSentence(sentence: string): string {
  if (!apiWords.test(sentence)) return sentence;
  const clauses = sentence
    .replace(/[.!?]$/, '')
    .split(/[;,] /)
    .filter((clause) => !apiWords.test(clause))
    .map((clause) => clause.replace(/^(?:or|and) /, ''));
  return clauses.length === 0 ? '' : `${capitalised(clauses.join(', '))}.`;
}

/** 0.7880555391311646 as 0.788. */
function tidyNumbers(text: string): string {
  return text.replace(/-?\d+\.\d{4,}(?:e[-+]?\d+)?/g, (number) => figure(Number(number)));
}

/** Where in the form a field of the request is: "/attributes/colour::red" is the attribute "colour red". */
export function fieldWords(pointer: string, attributeWords: (name: string) => string): string {
  const parts = pointer
    .replace(/^\/classes\/\d+/, '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first, second] = [parts.at(0) ?? '', parts.at(1)];
  if (first === 'attributes' && second !== undefined) return capitalised(attributeWords(second));
  if (first === 'image') return second === undefined ? 'Pictures' : `Picture ${Number(second) + 1}`;
  return capitalised(first);
}

/** What a dry run warns of, as a sentence; it may begin with an attribute: "colour::red (share of red): 2 lies outside …". */
export function warningSentence(
  warning: string,
  attributes: Iterable<string>,
  attributeWords: (name: string) => string,
): string {
  const begins = (name: string): boolean => [':', ' ('].some((end) => warning.startsWith(name + end));
  const [name = ''] = Array.from(attributes).filter(begins);
  const words = name === '' ? warning : attributeWords(name) + warning.slice(name.length);
  return `${capitalised(plainWords(words)).replace(/\.$/, '')}.`;
}

/** A detail of one field as a sentence. */
export function fieldSentence(field: string, detail: string): string {
  const words = plainWords(detail).replace(/\.$/, '');
  return field === '' ? `${capitalised(words)}.` : `${field}: ${words}.`;
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
