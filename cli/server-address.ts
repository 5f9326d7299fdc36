import { InvalidArgumentError } from 'commander';

/** For --url: an http or https address. */
export function serverAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address like http://127.0.0.1:8080.');
}
