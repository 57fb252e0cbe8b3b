// Sends errors as problem+json, for requests that Fastify parsed and for those that Node could not parse, and logs them.
import type { Socket } from 'node:net';
import { errors } from '@parley/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../db/database.ts';
import { isDiskFull, isStorageFault } from '../disk-space.ts';
import type { Log } from '../log.ts';
import { ApiError } from './api-error.ts';
import { asApiError, problemResponse } from './problem.ts';

export function sendError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const problem = asApiError(error);
  const response = problemResponse(problem, request.id);
  const facts = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url,
    code: problem.code,
  };
  logFailure(log, facts, response.status, error);
  // Read and drop the rest of a refused body, or the next request on this connection would wait behind it.
  if (!request.raw.complete) request.raw.unpipe().resume();
  return reply
    .code(response.status)
    .headers({ 'x-request-id': request.id, ...response.headers })
    .send(response.body);
}

/** Our own failures are logged as errors with a stack; refusals, such as for a carrier without settings, are not. */
function logFailure(log: Log, facts: { code: string }, status: number, error: unknown): void {
  // The reason of a 4xx may quote the request, and so personal data.
  if (status < 500) log.debug(facts, 'request refused');
  else if (error instanceof DatabaseUnavailable)
    log.warn({ ...facts, reason: error.message }, 'request failed');
  else if (isDiskFull(error) || isStorageFault(error))
    log.error({ ...facts, reason: (error as Error).message }, 'request failed');
  else if (error instanceof ApiError && error.code !== 'internal_error') {
    const reason = error.cause instanceof Error ? { reason: error.cause.message } : {};
    log.info({ ...facts, ...reason }, 'request refused');
  } else
    log.error(
      { ...facts, err: error instanceof ApiError ? (error.cause ?? error) : error },
      'request failed',
    );
}

/** Node could not parse the request: there is no request object, only the socket. */
export function sendUnparsableRequest(
  error: Error & { code?: string },
  socket: Socket,
  request_id: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const api_error = asApiError(error);
  const problem = api_error.code === 'internal_error' ? new ApiError('malformed_request') : api_error;
  const { status, headers, body } = problemResponse(problem, request_id);
  const lines = Object.entries({
    ...headers,
    'x-request-id': request_id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  socket.end(
    `HTTP/1.1 ${status} ${errors[problem.code].message}\r\n${lines.map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n${body}`,
  );
}
