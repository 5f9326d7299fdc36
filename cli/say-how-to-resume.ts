import { Failure } from '../core/failures.js';

/** Runs work that keeps what it has finished; where the user stops it, the message says how to go on. */
export async function sayHowToResume<Result>(how: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'interrupted') throw error;
    throw new Failure('interrupted', `Stopped on request. ${how}`, { cause: error });
  }
}

export const sameCommandAgain = 'Run the same command again to continue where it stopped.';
