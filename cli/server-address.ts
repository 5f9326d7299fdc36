import { InvalidArgumentError, Option } from 'commander';

const usualAddress = 'http://127.0.0.1:8080';

/** For --url: an http or https address. */
function serverAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address like http://127.0.0.1:8080.');
}

/** `--url`, which every command that asks a server has. */
export function serverOption(): Option {
  return new Option('--url <url>', 'where the server is')
    .env('UNSEEN_URL')
    .argParser((text: string) => (text === '' ? usualAddress : serverAddress(text))) // an empty UNSEEN_URL is none
    .default(usualAddress);
}

/** What to do about a server that does not answer, for people who have not started one. */
export function startServerHint(url: string): string {
  const { hostname, port } = new URL(url);
  const near = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (!near) return 'Is the address right (--url, UNSEEN_URL), and is a server running there?';
  const option = port === '8080' ? '' : ` --port ${port || '80'}`;
  return `Start one with "unseen serve --bundle BUNDLE${option}", or name another with --url or UNSEEN_URL.`;
}
