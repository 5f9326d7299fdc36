import type { Watcher } from '../core/progress.js';

/** What every command gets from the command line around it. */
export interface CommandContext extends Watcher {
  /** One JSON document on standard output instead of text for people. */
  readonly json: boolean;
  /** The result: text for people, or the value as JSON with --json. */
  result(text: string, value: unknown): void;
}
