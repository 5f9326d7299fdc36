/**
 * Pictures from a multipart/form-data body: every part with a file is one, the field's name is `image`. Where a route takes it, one
 * part of another name is text.
 */
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { Request } from 'express';
import { Failure } from '../../core/failures.js';
import { tooLarge } from './body.js';

export interface UploadedPicture {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface UploadedForm {
  readonly pictures: readonly UploadedPicture[];
  /** Of the text part. */
  readonly text?: string;
}

interface MultipartLimits {
  readonly bytes: number;
  readonly pictures: number;
  /** The one part that is text: with it, pictures may be missing. */
  readonly text?: { readonly field: string; readonly bytes: number } | undefined;
}

export const pictureField = 'image';
/** The part of a form that describes a class; the pictures beside it are examples of it. */
export const classField = 'class';

export function readMultipart(request: Request, limits: MultipartLimits): Promise<UploadedForm> {
  return new Promise((resolve, reject) => {
    const pictures: UploadedPicture[] = [];
    let text: string | undefined;
    let received = 0;
    const parser = openParser(request, limits);
    // A part without a name has the field `undefined`, which must not pass for the text part that a route does not take.
    const isTextField = (field: string | undefined): boolean =>
      limits.text !== undefined && field === limits.text.field;
    const refuse = (failure: Failure): void => {
      request.unpipe(parser);
      reject(failure);
    };
    parser.on('file', (field, stream, filename) => {
      const chunks: Buffer[] = [];
      const isText = isTextField(field); // a file of JSON, as some clients send it
      if (field !== pictureField && !isText)
        refuse(invalid(`the field "${field}" is not known; pictures are sent in "${pictureField}"`));
      stream.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > limits.bytes) refuse(tooLarge(limits));
        else chunks.push(chunk);
        if (isText && received > limits.text!.bytes) refuse(tooLarge(limits.text!));
      });
      // A body that ends within a part is an error of the part, too; nobody listening would end the process.
      stream.on('error', () => {
        refuse(invalid('it ends within a picture'));
      });
      stream.on('end', () => {
        if (isText) text = Buffer.concat(chunks).toString('utf8');
        else pictures.push({ name: shownName(filename, pictures.length), bytes: Buffer.concat(chunks) });
      });
    });
    parser.on('field', (field, value, _isNameCut, isValueCut) => {
      if (isTextField(field)) {
        if (isValueCut) refuse(tooLarge(limits.text!));
        text = value;
        return;
      }
      refuse(
        invalid(
          field === pictureField
            ? `the field "${pictureField}" holds text; send the picture as a file (curl: -F ${pictureField}=@FILE)`
            : `the field "${field}" is not known; options go into the query`,
        ),
      );
    });
    parser.on('filesLimit', () => {
      refuse(invalid(`at most ${limits.pictures} pictures are accepted in one request`));
    });
    for (const limit of ['partsLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => {
        refuse(invalid('it has too many parts'));
      });
    parser.on('error', (error) => {
      refuse(invalid(error instanceof Error ? error.message.toLowerCase() : 'it is malformed'));
    });
    parser.on('finish', () => {
      if (limits.text && text === undefined) refuse(invalid(`the field "${limits.text.field}" is missing`));
      else if (!limits.text && pictures.length === 0)
        refuse(invalid(`it holds no picture in the field "${pictureField}"`));
      else resolve({ pictures, ...(text !== undefined && { text }) });
    });
    request.on('error', () => {
      refuse(invalid('it was cut off'));
    });
    request.once('end', () => {
      // A part without an end keeps the parser waiting for bytes that will never come.
      setTimeout(() => {
        refuse(invalid('it ends in the middle of a part'));
      }, 200).unref();
    });
    request.pipe(parser);
  });
}

function openParser(request: Request, limits: MultipartLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      isPartAFile: (_field, type, filename) => filename !== undefined || type?.startsWith('image/') === true,
      limits: {
        files: limits.pictures + (limits.text ? 1 : 0),
        fileSize: limits.bytes + 1,
        fields: 1,
        parts: limits.pictures + 2,
        fieldSize: limits.text?.bytes ?? 1024,
        headerPairs: 20,
      },
    });
  } catch (error) {
    throw invalid((error as Error).message.toLowerCase());
  }
}

/** A client's file name is shown back to it, so it is kept short and without anything that could be markup or a path. */
function shownName(given: string | undefined, index: number): string {
  const kept = given?.replace(/[^\p{L}\p{N}._ -]/gu, '').slice(0, 100);
  return kept === undefined || kept === '' ? `picture ${index + 1}` : kept;
}

function invalid(reason: string): Failure {
  return new Failure('request-invalid', `The multipart body cannot be read: ${reason.replace(/\.$/, '')}.`);
}
