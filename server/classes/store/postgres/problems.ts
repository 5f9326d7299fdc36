/** What errors of PostgreSQL and of the way to it mean for the registry. */
import { Failure } from '../../../../core/failures.js';
import { Unreachable, type Mode, type WriteTrouble } from '../database.js';

/** Conditions that pass or that an operator puts right, by SQLSTATE class or code; no fault of a statement. */
const passing = /^(08|28|53|57|58|XX|3D|25006|25P03|40001|40P01|55P03)/;
/** Tables or columns that are not there or not ours to use. */
const unusable = /^(3F|42P01|42703|42501)/;

/** What a server that can still be read says about a write. */
const writeTroubles: Readonly<Record<string, WriteTrouble>> = {
  '53100': 'full',
  '25006': 'read-only',
  '42501': 'denied',
  '58030': 'disk-errors',
};

export type ConnectionStage = 'connecting' | 'working' | 'committing';

export function failureOf(error: unknown, description: string, stage: ConnectionStage, mode: Mode): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof Failure) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in error;
  const writeTrouble = isSqlState && mode === 'write' ? writeTroubles[code] : undefined;
  if (isSqlState && unusable.test(code) && writeTrouble === undefined)
    return new Failure(
      'registry-invalid',
      `The class registry ${description} has no tables that this program can use: ${error.message}.`,
      { cause: error },
    );
  if (isSqlState && !passing.test(code) && writeTrouble === undefined) return error; // a defect of ours
  const what = writeTrouble === undefined ? 'reached' : 'written';
  const message = `The class registry ${description} cannot be ${what}: ${reasonOf(error, code)}.`;
  return new Unreachable(message, becauseOf(stage, code, isSqlState), { cause: error, writeTrouble });
}

function becauseOf(stage: ConnectionStage, code: string, isSqlState: boolean): Unreachable['because'] {
  if (stage === 'connecting') return 'no-connection';
  // An error that the server sends for COMMIT says that it did not happen, unless the server is going down.
  if (stage === 'committing' && (!isSqlState || /^(08|57P|58|XX)/.test(code))) return 'lost-outcome';
  const isTooSlow = code === '57014' || code === '55P03';
  return isTooSlow ? 'no-connection' : 'lost-connection';
}

/** Node tells of several addresses that all refuse with an empty message. */
function reasonOf(error: Error, code: string): string {
  if (error instanceof AggregateError)
    return error.errors
      .map((each: unknown) => (each instanceof Error ? each.message : String(each)))
      .join(', ');
  return error.message || code || error.name;
}
