import type { Request } from 'express';
import { normalisedName } from '../../core/class-name.js';
import type { Classes } from '../classes/contract.js';

/** "." and ".." are part of no address: clients and proxies resolve them, even percent-encoded. Encoded twice they arrive. */
const dots = /^(?:%2e){1,2}$/i;

/** Under which a removed class may have been stored: as it is written, or in the form that names have now. */
export function namesInPath(request: Request, classes: Classes): readonly string[] {
  const name = nameInPath(request, classes);
  const given = String(request.params.name);
  return classes.get(given) || given === name || dots.test(given) ? [name] : [given, name];
}

export function decodedDots(given: string): string | undefined {
  return dots.test(given) ? decodeURIComponent(given) : undefined;
}

/** The class that a path names: as it is stored, where there is one, however its letters are written in the path. */
export function nameInPath(request: Request, classes: Classes): string {
  const given = String(request.params.name);
  const exact = classes.get(given);
  if (exact) return exact.name;
  return decodedDots(given) ?? normalisedName(given);
}
