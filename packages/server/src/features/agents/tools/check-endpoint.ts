// Checks the URL of an endpoint when a user supplies it.
import { limits } from '@parley/contract/limits';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl, type UrlRefusal } from '../../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';

const messages: Record<UrlRefusal, string> = {
  url_invalid: 'Expected an absolute URL such as https://example.com/slots',
  url_too_long: `Expected a URL of at most ${limits.webhook_url_chars} characters`,
  scheme_not_allowed: 'Expected a URL that starts with https:// or http://',
  credentials_in_url: 'A URL with a user name or password in it is not accepted',
  https_required: 'This server sends requests over https only',
  target_not_allowed: 'This server may not send to that address',
};

export function checkEndpoint(url: string, policy: AddressPolicy): void {
  const verdict = checkUrl(url, policy);
  if (verdict.ok) return;
  const message = messages[verdict.reason];
  const problem = { path: 'body.url', message, code: 'invalid' as const };
  if (verdict.reason === 'https_required' || verdict.reason === 'target_not_allowed')
    throw new ApiError('target_not_allowed', { detail: `${message}.`, errors: [problem] });
  throw validationError([{ ...problem, code: 'invalid_format' }]);
}
