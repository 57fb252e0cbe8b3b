// Converts any error into the response that callers get: application/problem+json (RFC 9457).
import { type ErrorCode, errors } from '@parley/contract/errors';
import { DatabaseUnavailable } from '../db/database.ts';
import { isDiskFull, isStorageFault } from '../disk-space.ts';
import { ApiError, type ApiErrorOptions } from './api-error.ts';

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

export function problemResponse(error: ApiError, request_id: string): ProblemResponse {
  const { status, message, fix } = errors[error.code];
  const options: ApiErrorOptions = error.options;
  const detail = options.detail ?? message;
  // Every 422 names the field that is wrong.
  const wrong =
    options.errors ??
    (status === 422 ? [{ path: options.path ?? 'body', message: detail, code: 'invalid' }] : null);
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
    body: JSON.stringify({
      type: `urn:parley:error:${error.code}`,
      title: message,
      status,
      detail,
      code: error.code,
      fix: options.fix ?? fix,
      request_id,
      ...(wrong ? { errors: wrong } : {}),
    }),
  };
}
