// The errors of a send, with the fix that each suggests to the caller.
import { addressKey, type Mailbox } from '@parley/contract/schema/mailbox';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { EmailRow } from '../store.ts';

export type Recipients = Record<'to' | 'cc' | 'bcc', Mailbox[]>;

export function recipientSuppressed(recipients: Recipients, suppressed: string[]): ApiError {
  const keys = new Set(suppressed.map(addressKey));
  const errors = Object.entries(recipients).flatMap(([field, list]) =>
    [...list.entries()]
      .filter(([, { address }]) => keys.has(addressKey(address)))
      .map(([index, { address }]) => ({
        path: `body.${field}[${index}]`,
        message: `${address} is suppressed`,
        code: 'invalid' as const,
      })),
  );
  return new ApiError('recipient_suppressed', {
    detail: `${suppressed.join(', ')} ${suppressed.length === 1 ? 'is' : 'are'} on the suppression list.`,
    errors,
  });
}

export const senderRefused = (code: 'from_not_allowed' | 'no_sending_domain') => {
  const path = code === 'from_not_allowed' ? 'body.from' : 'body.email_domain_id';
  return new ApiError(code, {
    errors: [{ path, message: 'Not a verified sender of yours', code: 'invalid' }],
  });
};

export const replyTargetNotFound = () =>
  new ApiError('reply_target_not_found', {
    errors: [
      { path: 'body.in_reply_to', message: 'Neither an email of yours nor a Message-ID', code: 'invalid' },
    ],
  });

/** A rule stopped the email before the hand-over. */
export const emailNotAllowed = (email: EmailRow, more: { is_stored?: boolean } = {}) =>
  new ApiError('email_not_allowed', {
    ...more,
    object_id: email.id,
    fix: `GET /v1/emails/${email.id}/events says which rule. Send again later with a new Idempotency-Key.`,
  });

/** The same text from the request and from the sweeper, because both store it under the idempotency key. */
export const sendFailed = (email: EmailRow, more: { is_stored?: boolean } = {}) =>
  email.end_reason === 'unconfirmed'
    ? new ApiError('email_unconfirmed', {
        ...more,
        object_id: email.id,
        fix: `Do not send it again yet: the recipients may have got it. GET /v1/emails/${email.id} says sent, bounced or complained once a report settles it.`,
      })
    : new ApiError('email_send_failed', {
        ...more,
        object_id: email.id,
        fix: `GET /v1/emails/${email.id} says why in end_reason. Correct the cause and send again with a new Idempotency-Key.`,
      });
