import type { Request, Response } from 'express';
import type { z } from 'zod';
import { Failure } from '../../core/failures.js';
import type { RouteDependencies } from '../routes/dependencies.js';
import { readWhole, receiveBody } from './body.js';
import { validate } from './validate.js';

/** A JSON body, within limits of its own. */
export async function readJson(
  request: Request,
  response: Response,
  { settings, uploads }: RouteDependencies,
): Promise<{ value: unknown; bytes: Buffer }> {
  if (request.is('application/json') === false)
    throw new Failure('request-invalid', 'Send JSON, with Content-Type application/json.');
  // Parsing holds up everybody else: some 10 ms a megabyte.
  const megabytes = Math.min(settings.bodyMegabytes, settings.jsonMegabytes);
  const limits = { bytes: Math.round(megabytes * 1e6), seconds: settings.bodySeconds };
  const bytes = await receiveBody(request, response, limits, uploads, (body) =>
    readWhole(body, limits.bytes),
  );
  try {
    return { value: JSON.parse(bytes.toString('utf8')) as unknown, bytes };
  } catch (error) {
    const message = `The body is not JSON: ${(error as Error).message}.`;
    throw new Failure('request-invalid', message, { fields: [{ pointer: '', detail: 'this is not JSON' }] });
  }
}

export function validateBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return validate(schema, value, 'body', 'attributes-invalid');
}
