/** One of several equal shares of a piece of work, for processes or machines that do a share each. */
export interface Shard {
  readonly number: number; // from 1
  readonly of: number;
}

export const wholeWork: Shard = { number: 1, of: 1 };
