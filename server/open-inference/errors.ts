import { answerErrorsBy } from '../http/errors.js';
import { sendAsProblem } from '../http/problem-details.js';

/** The protocol wants `{"error": …}`. All else about a refusal is as everywhere, so only the body is put differently. */
export const sendProtocolError = sendAsProblem('application/json; charset=utf-8', ({ detail }) => ({
  error: detail,
}));

export const answerProtocolError = answerErrorsBy(sendProtocolError);
