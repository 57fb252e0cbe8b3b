// Turns what went wrong with a request to an endpoint into the failure that the model reads.

import { RequestFailed, type RequestFailure } from '../../../platform/egress/request-once.ts';
import { ErrorStatus } from '../../../platform/egress/request-stream.ts';
import { failed, type ToolOutcome } from '../runtime/index.ts';

const details: Record<RequestFailure, string> = {
  timeout: 'No answer in time.',
  dns_failed: 'The name of the host is not known.',
  connection_failed: 'There was no connection to the host.',
  tls_failed: 'The certificate of the host is not valid.',
  target_not_allowed: 'This server may not send to that address.',
  response_headers_too_large: 'The answer has too many headers.',
  response_invalid: 'The answer is too large or no valid HTTP.',
};

/** Null when the endpoint did not cause the error. Addresses of our network never appear in the text. */
export function callDetail(error: unknown, signal: AbortSignal): ToolOutcome | null {
  if (signal.aborted) {
    const is_timeout = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    return is_timeout ? failed('timeout', details.timeout) : failed('cancelled', 'The call was canceled.');
  }
  if (error instanceof ErrorStatus) return failed('refused', `The endpoint ${error.message}`);
  if (!(error instanceof RequestFailed)) return null;
  const detail = details[error.reason];
  if (error.reason === 'timeout') return failed('timeout', detail);
  const is_answer = error.reason === 'response_invalid' || error.reason === 'response_headers_too_large';
  return failed(is_answer ? 'invalid_result' : 'unreachable', detail);
}
