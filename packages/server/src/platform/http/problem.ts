// Converts any error into the response that callers get: application/problem+json (RFC 9457).
import { type ErrorCode, errors } from '@parley/contract/errors';
import type { Problem as ProblemSchema } from '@parley/contract/openapi/openapi-problems';
import type { z } from 'zod';
import { DatabaseUnavailable } from '../db/database.ts';
import { isDiskFull, isStorageFault } from '../disk-space.ts';
import { type Answer, writeAnswer } from './answer.ts';
import { ApiError, type ApiErrorOptions } from './api-error.ts';

export type Problem = z.output<typeof ProblemSchema>;

export type ProblemResponse = { status: number; headers: Record<string, string>; body: string };

/** Error codes of Fastify and Node, and the codes of the API that they become. */
const codes_of_libraries: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_ASYNC_CONSTRAINT: 'malformed_request',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Unknown errors become internal_error. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('database_unavailable', { retry_after_seconds: 1, internal: error });
  }
  if (isDiskFull(error)) return new ApiError('storage_full', { retry_after_seconds: 30, internal: error });
  if (isStorageFault(error))
    return new ApiError('storage_unavailable', { retry_after_seconds: 30, internal: error });
  const code = codes_of_libraries[(error as { code?: string } | null)?.code ?? ''];
  return new ApiError(code ?? 'internal_error', { internal: error });
}

/** The response to an error as a value. */
export function problemAnswer(
  { code, options }: { code: ErrorCode; options: ApiErrorOptions },
  request_id: string,
): Answer & { body: Problem } {
  const { status, message, fix } = errors[code];
  const detail = options.detail ?? message;
  // Every 422 names the field that is wrong.
  const wrong =
    options.errors ??
    (status === 422 ? [{ path: options.path ?? 'body', message: detail, code: 'invalid' }] : null);
  const body = {
    type: `urn:parley:error:${code}`,
    title: message,
    status,
    detail,
    code,
    fix: options.fix ?? fix,
    request_id,
    ...(options.object_id === undefined ? {} : { object_id: options.object_id }),
    ...(wrong ? { errors: wrong } : {}),
  };
  return { status, body };
}

export function problemResponse(error: ApiError, request_id: string): ProblemResponse {
  const { status, body } = problemAnswer(error, request_id);
  const options: ApiErrorOptions = error.options;
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(options.retry_after_seconds === undefined
        ? {}
        : { 'retry-after': String(options.retry_after_seconds) }),
      ...(options.allow ? { allow: options.allow.join(', ') } : {}),
      ...(options.rate_limit
        ? {
            'ratelimit-limit': String(options.rate_limit.limit),
            'ratelimit-remaining': String(options.rate_limit.remaining),
            'ratelimit-reset': String(options.rate_limit.reset_seconds),
          }
        : {}),
    },
    body: writeAnswer(body),
  };
}
