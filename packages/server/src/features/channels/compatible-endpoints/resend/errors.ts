// Errors in the form of Resend: statusCode, name and message.
import { type ErrorCode, errors } from '@parley/contract/errors';
import type { ApiError } from '../../../../platform/http/api-error.ts';
import type { Problem } from '../../../../platform/http/problem.ts';

export type ResendError = { statusCode: number; name: string; message: string };

/** Errors whose status or name does not follow from our status. */
const named: Partial<Record<ErrorCode, { statusCode: number; name: string }>> = {
  unauthenticated: { statusCode: 403, name: 'invalid_api_key' },
  insufficient_scope: { statusCode: 401, name: 'restricted_api_key' },
  consent_required: { statusCode: 422, name: 'consent_required' },
  idempotency_key_reused: { statusCode: 409, name: 'invalid_idempotent_request' },
  idempotency_in_progress: { statusCode: 409, name: 'concurrent_idempotent_requests' },
  kill_switch: { statusCode: 429, name: 'rate_limit_exceeded' },
  velocity_capped: { statusCode: 429, name: 'rate_limit_exceeded' },
  budget_exceeded: { statusCode: 429, name: 'rate_limit_exceeded' },
  insufficient_funds: { statusCode: 429, name: 'rate_limit_exceeded' },
  recipient_capped: { statusCode: 429, name: 'rate_limit_exceeded' },
  new_recipient_capped: { statusCode: 429, name: 'rate_limit_exceeded' },
  already_handed_over: { statusCode: 422, name: 'validation_error' },
};

export const missing_key: ResendError = {
  statusCode: 401,
  name: 'missing_api_key',
  message: 'The request has no key. Send the header Authorization: Bearer <key>.',
};

export function resendError(
  { code, message, options }: Pick<ApiError, 'code' | 'message' | 'options'>,
  asTheirs: (path: string) => string = (path) => path,
): ResendError {
  const { statusCode, name } = named[code] ?? byStatus(errors[code].status, options.errors);
  const fix = options.fix ?? errors[code].fix;
  const what = options.errors
    ? options.errors.map((each) => `${asTheirs(each.path)}: ${each.message}`).join('; ')
    : message;
  return { statusCode, name, message: `${what.replace(/[.]?$/, '.')} ${fix}` };
}

/** Of a stored response to an earlier request with the same key. */
export const resendErrorOf = ({ code, detail, fix }: Problem): ResendError =>
  resendError({ code, message: detail, options: { fix } });

function byStatus(
  status: number,
  fields: readonly { code: string }[] | undefined,
): { statusCode: number; name: string } {
  if (status === 503) return { statusCode: 503, name: 'application_error' };
  if (status >= 500) return { statusCode: 500, name: 'application_error' };
  if (status === 404) return { statusCode: 404, name: 'not_found' };
  if (status === 405) return { statusCode: 405, name: 'method_not_allowed' };
  if (status === 429) return { statusCode: 429, name: 'rate_limit_exceeded' };
  const is_missing = fields?.some(({ code }) => code === 'required') ?? false;
  if (status === 413) return { statusCode: 413, name: 'validation_error' };
  return { statusCode: 422, name: is_missing ? 'missing_required_field' : 'validation_error' };
}
