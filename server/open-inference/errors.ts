import type { ErrorRequestHandler } from 'express';
import { answerError } from '../http/errors.js';
import type { Problem } from '../http/problem.js';

/** The protocol wants `{"error": …}`. All else about a refusal is as everywhere, so only the body is put differently. */
export const answerProtocolError: ErrorRequestHandler = (error, request, response, next) => {
  const send = response.send.bind(response);
  response.send = (body: string) => {
    const { detail } = JSON.parse(body) as Problem;
    response.type('json');
    return send(JSON.stringify({ error: detail }));
  };
  return answerError(error, request, response, next);
};
