/** Pictures of a request: one as the body, or a form of several. */
import type { Request, Response } from 'express';
import { Failure } from '../../core/failures.js';
import { bodyLimits, readWhole, receiveBody } from '../http/body.js';
import { readMultipart, type UploadedForm } from '../http/multipart.js';
import { noteUpload } from '../http/request-context.js';
import type { Upload } from '../http/upload-budget.js';
import { placesOfCaller } from '../inference/admission.js';
import type { Permit } from '../inference/contract.js';
import type { RouteDependencies } from './dependencies.js';

const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'];
/** The bytes decide what it is, so a name that many programs give JPEG files is as good. */
const acceptedTypes = [...pictureTypes, 'image/jpg'];

/** A request that was admitted to the queue, and what it has sent. */
export interface Uploading {
  readonly request: Request;
  readonly response: Response;
  readonly upload: Upload;
}

/** With its places in the queue. */
export interface Admitted extends Uploading {
  readonly permit: Permit;
}

/** `is` answers null where there is no body at all: that is no form, either. */
export function isForm(request: Request): boolean {
  return typeof request.is('multipart/form-data') === 'string';
}

/** `textField`: a part of the form that may come beside the pictures, or without any. */
export async function readUpload(
  { request, response, upload }: Uploading,
  { settings, metrics }: Pick<RouteDependencies, 'settings' | 'metrics'>,
  textField?: string,
): Promise<UploadedForm> {
  const limits = bodyLimits(settings, settings.bodyMegabytes);
  const maxPictures = Math.min(settings.picturesPerRequest, placesOfCaller(settings)); // more would never find places
  const advice = `Send the picture as the body with Content-Type ${pictureTypes.join(', ')}, or as multipart/form-data in the field "image".`;
  if (request.is('*/*') === null) throw new Failure('request-invalid', `There is no body. ${advice}`);
  if (!isForm(request) && request.is(acceptedTypes) === false)
    throw new Failure('image-type-refused', advice);
  const started = performance.now();
  const form = await receiveBody(request, response, limits, upload, async (body) => {
    if (!isForm(request)) return { pictures: [{ name: 'The picture', bytes: await readWhole(body) }] };
    const text =
      textField === undefined ? undefined : { field: textField, bytes: settings.jsonMegabytes * 1e6 };
    return readMultipart(body, { bytes: limits.bytes, pictures: maxPictures, text });
  });
  noteUpload(request, metrics, started);
  return form;
}
