import type { Request, Response } from 'express';
import type { z } from 'zod';
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import { bodyLimits, readWhole, receiveBody } from './body.js';
import { callerOf } from './caller.js';
import type { UploadBudget } from './upload-budget.js';
import { validate } from './validate.js';

interface JsonReading {
  readonly settings: Pick<
    ServerConfiguration,
    'apiKeys' | 'bodyMegabytes' | 'jsonMegabytes' | 'bodySeconds' | 'bodyBytesPerSecond'
  >;
  readonly uploads: UploadBudget;
}

/** A JSON body, within limits of its own. */
export async function readJson(
  request: Request,
  response: Response,
  { settings, uploads }: JsonReading,
): Promise<{ value: unknown; bytes: Buffer }> {
  if (request.is('application/json') === false)
    throw new Failure('request-invalid', 'Send JSON, with Content-Type application/json.');
  const limits = bodyLimits(settings, jsonMegabytesOf(settings));
  const bytes = await uploads.hold(callerOf(request), (upload) =>
    receiveBody(request, response, limits, upload, readWhole),
  );
  return { value: parseJson(bytes.toString('utf8')), bytes };
}

/** `field`: the part of a form that it is; left out, it is the body. */
export function parseJson(text: string, field?: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const what = field === undefined ? 'The body' : `The field "${field}"`;
    const message = `${what} is not JSON: ${(error as Error).message}.`;
    throw new Failure('request-invalid', message, { fields: [{ pointer: '', detail: 'this is not JSON' }] });
  }
}

/** Parsing holds up everybody else: some 10 ms a megabyte. */
export function jsonMegabytesOf({
  bodyMegabytes,
  jsonMegabytes,
}: Pick<ServerConfiguration, 'bodyMegabytes' | 'jsonMegabytes'>): number {
  return Math.min(bodyMegabytes, jsonMegabytes);
}

export function validateBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return validate(schema, value, 'body', 'attributes-invalid');
}
