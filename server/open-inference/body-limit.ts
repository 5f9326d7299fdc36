/** How large the body of an inference request may be, from its headers alone: JSON less than the bytes behind it. */
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import { bodyLimits, tooLarge, type BodyLimits } from '../http/body.js';
import { jsonMegabytesOf } from '../http/json.js';

const jsonSize = {
  of: ' of JSON',
  advice: 'Send pictures to POST /classify, or behind the JSON as a binary tensor, or fewer at a time.',
};

/** `headerLength` is the Inference-Header-Content-Length header: where the JSON ends and the bytes begin. */
export function inferBodyLimits(headerLength: string | undefined, settings: ServerConfiguration): BodyLimits {
  const json = { ...bodyLimits(settings, jsonMegabytesOf(settings)), size: jsonSize };
  if (headerLength === undefined) return json;
  if (!/^\d+$/.test(headerLength))
    throw new Failure(
      'request-invalid',
      `Inference-Header-Content-Length must be the length of the JSON, not "${headerLength}".`,
    );
  if (Number(headerLength) > json.bytes) throw tooLarge(json);
  return bodyLimits(settings, settings.bodyMegabytes);
}
