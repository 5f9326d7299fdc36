/** From pictures of a request to examples of a class: all of them, or what is wrong with which. */
import type { Request, Response } from 'express';
import { Failure, type FieldProblem } from '../../core/failures.js';
import type { Classes, NewExample } from '../classes/contract.js';
import { newExample, withStoredIds } from '../classes/example.js';
import { callerOf } from '../http/caller.js';
import { pictureField, type UploadedForm, type UploadedPicture } from '../http/multipart.js';
import { contextOf, requestSignal } from '../http/request-context.js';
import type { ExtractedPicture } from '../inference/contract.js';
import { runAll } from '../inference/run-all.js';
import type { ServedModel } from '../model/contract.js';
import type { RouteDependencies } from './dependencies.js';
import { readUpload } from './read-pictures.js';

export interface ExtractedForm extends UploadedForm {
  /** Of each picture, as the backbone gives them. */
  readonly features: readonly Float32Array[];
  /** What each is answered. */
  readonly answers: readonly ExtractedPicture['answer'][];
}

/** Reads and extracts with places in the queue, which are given back before anything is fitted. */
export function extractForm(
  { inference }: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
  textField?: string,
): Promise<ExtractedForm> {
  const who = callerOf(request);
  return inference.admit(who, (permit) =>
    dependencies.uploads.hold(who, async (upload) => {
      const signal = requestSignal(request, response, dependencies.settings.deadlineSeconds);
      const form = await readUpload({ request, response, upload }, dependencies, textField);
      permit.extendTo(form.pictures.length);
      const { onStage } = contextOf(request);
      const outcomes = await runAll(form.pictures, signal, async (picture, either) => {
        try {
          return await inference.extractFeatures({ ...picture, signal: either, onStage });
        } catch (error) {
          if (error instanceof Failure && error.code.startsWith('image-')) return error;
          throw error;
        }
      });
      const extracted = allUsable(outcomes);
      return {
        ...form,
        features: extracted.map(({ features }) => features),
        answers: extracted.map(({ answer }) => answer),
      };
    }),
  );
}

export function examplesOf(
  { pictures, features }: ExtractedForm,
  name: string,
  classes: Pick<Classes, 'exampleBackbone' | 'examplesOf'>,
): NewExample[] {
  const examples = pictures.map(({ bytes }, i) =>
    newExample(name, classes.exampleBackbone, bytes, features[i]),
  );
  return withStoredIds(examples, classes.examplesOf(name));
}

/** What was sent, for an Idempotency-Key: the boundary of a form is another each time. */
export function contentOfForm({ text = '', pictures }: UploadedForm): Buffer {
  const lengths = pictures.map(({ bytes }) => bytes.length);
  const parts = pictures.map(({ bytes }: UploadedPicture) => bytes);
  return Buffer.concat([Buffer.from(JSON.stringify([text, lengths])), ...parts]);
}

function allUsable(outcomes: readonly (ExtractedPicture | Failure)[]): ExtractedPicture[] {
  const failures = outcomes.filter((one) => one instanceof Failure);
  if (failures.length === 0) return outcomes.filter((one) => 'features' in one);
  if (outcomes.length === 1) throw failures[0];
  const fields: FieldProblem[] = outcomes.flatMap((one, i) =>
    one instanceof Failure ? [{ pointer: `/${pictureField}/${i}`, detail: one.message }] : [],
  );
  const reasons = failures.slice(0, 5).map(({ message }) => message);
  throw new Failure(
    failures[0].code,
    `Nothing was stored, because ${failures.length} of ${outcomes.length} pictures cannot be used: ${reasons.join(' ')}`,
    { fields },
  );
}
