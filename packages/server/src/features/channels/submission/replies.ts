// The SMTP replies of submission. Mail programs act on the code; people read the text.
import { type ErrorCode, errors } from '@parley/contract/errors';
import { DatabaseUnavailable } from '../../../platform/db/database.ts';
import { isDiskFull } from '../../../platform/disk-space.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Log } from '../../../platform/log.ts';
import { UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';

export type Refusal = Error & { responseCode: number };

const text_chars = 400;

/** `smtp-server` sends the code and the message of the error. The text begins with the enhanced code (RFC 3463). */
export const refusal = (responseCode: number, text: string): Refusal =>
  Object.assign(new Error(text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, text_chars)), { responseCode });

export const replies = {
  wrongKey: () => refusal(535, '5.7.8 The password must be a valid API key'),
  noKey: () => refusal(530, '5.7.0 Start TLS, then authenticate with an API key as the password'),
  noScope: () => refusal(535, '5.7.8 This key lacks the scope emails:write'),
  noConsent: () =>
    refusal(
      535,
      '5.7.8 This key was not issued with grants_consent: create one that confirms the consent of the recipients',
    ),
  tooManyWrongKeys: () => refusal(421, '4.7.0 Too many wrong passwords from you, try again later'),
  tooManyConnections: () => refusal(421, '4.7.0 Too many connections from you'),
  tooManyRequests: () => refusal(451, '4.7.1 Too many requests with this key, try again later'),
  notYourSender: () => refusal(553, '5.7.1 The sender must be an address on one of your verified domains'),
  badRecipient: () => refusal(553, '5.1.3 This is not a valid address'),
  keyRevoked: () => refusal(535, '5.7.8 The key is no longer valid'),
  noFrom: () => refusal(550, '5.6.0 The message has no valid From field'),
  badSetting: (name: string, text: string) => refusal(550, `5.6.0 X-Parley-${name}: ${text}`),
  tooManyFiles: () => refusal(552, '5.3.4 The message has too many files'),
  messageTooLarge: () => refusal(552, '5.3.4 The message is too large'),
  busy: () => refusal(452, '4.3.1 Busy, try again later'),
  closing: () => refusal(421, '4.3.2 The service is stopping, try again'),
  temporaryFailure: () => refusal(451, '4.3.0 Temporary trouble here, please try again later'),
};

/** Refusals that may pass later, although their status is not 429 or 5xx. */
const temporary = new Set<ErrorCode>([
  'kill_switch',
  'velocity_capped',
  'budget_exceeded',
  'insufficient_funds',
  'recipient_capped',
  'new_recipient_capped',
  'quiet_hours',
  'idempotency_in_progress',
  'email_not_allowed',
]);

type Problem = { code: ErrorCode; text: string; fix: string };

export const problemOf = ({ code, message, options }: ApiError): Problem => ({
  code,
  text: options.errors?.map((each) => each.message).join('; ') || message,
  fix: options.fix ?? errors[code].fix,
});

/** The reply to an error of the API, except a failed hand-over. */
export function replyToProblem({ code, text, fix }: Problem): Refusal {
  const words = `${text.replace(/[.]?$/, '.')} ${fix}`;
  const { status } = errors[code];
  if (code === 'from_not_allowed' || code === 'no_sending_domain') return replies.notYourSender();
  if (code === 'attachment_too_large' || code === 'attachments_too_large')
    return refusal(552, `5.3.4 ${words}`);
  if (code === 'storage_full') return refusal(452, `4.3.1 ${words}`);
  if (status === 429 || status >= 500 || temporary.has(code)) return refusal(451, `4.7.1 ${words}`);
  return refusal(550, `5.7.1 ${words}`);
}

/** An unexpected error is a temporary failure, so that the sender tries again. */
export function replyToError(log: Log, error: Error & { responseCode?: number }): Error {
  if (error.responseCode) return error;
  if (error instanceof ApiError) return replyToProblem(problemOf(error));
  if (error instanceof UnreadableMessage)
    return error.is_too_large
      ? refusal(552, `5.3.4 ${error.message}`)
      : refusal(554, `5.6.0 ${error.message}`);
  if (isDiskFull(error)) {
    log.error({ reason: error.message }, 'disk full, submitted message not accepted');
    return refusal(452, '4.3.1 Insufficient system storage, please try again later');
  }
  if (error instanceof DatabaseUnavailable)
    log.warn({ err: error }, 'database unavailable, submitted message deferred');
  else log.error({ err: error }, 'submitted message not accepted');
  return replies.temporaryFailure();
}
