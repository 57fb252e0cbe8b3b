// The SMTP replies that refuse a command or a message. Senders act on the code; people read the text.
import { limits } from '@parley/contract/limits';
import { DatabaseUnavailable } from '../../../../../platform/db/database.ts';
import { isDiskFull } from '../../../../../platform/disk-space.ts';
import { ApiError } from '../../../../../platform/http/api-error.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { LineFault } from '../../../../../protocols/mail/line-rules.ts';
import type { Refusal } from '../accept/accept-message.ts';

/** `smtp-server` sends the code and the message of the error. The text begins with the enhanced code (RFC 3463). */
const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

export const replies = {
  mailboxFull: () => refusal(452, '4.2.2 The mailbox is full, try again later'),
  noSuchMailbox: () => refusal(550, '5.1.1 No such mailbox here'),
  tooManyConnections: () => refusal(421, '4.7.0 Too many connections from you'),
  tooManyMessages: () => refusal(450, '4.7.1 Too many messages from you, try again later'),
  tooManyUnknownRecipients: () => refusal(450, '4.7.1 Too many wrong recipients, try again later'),
  messageTooLarge: () => refusal(552, '5.3.4 The message is too large'),
  busy: () => refusal(452, '4.3.1 Busy, try again later'),
  temporaryFailure: () => refusal(451, '4.3.0 Temporary trouble here, please try again later'),
  diskFull: () => refusal(452, '4.3.1 Insufficient system storage, please try again later'),
  messageRefused: ({ refused, because }: Refusal) => {
    if (because === 'rule' || because === 'service_mail') return refusal(550, `5.7.1 ${refused}`);
    return because === 'size' ? refusal(552, `5.3.4 ${refused}`) : refusal(554, `5.6.0 ${refused}`);
  },
};

export const line_fault_replies: Record<LineFault, () => Error> = {
  bare_line_break: () => refusal(550, '5.6.11 A line break must be CR LF'),
  line_too_long: () => refusal(550, `5.6.0 A line may have ${limits.inbound_line_bytes} bytes at most`),
};

/** An unexpected error is a temporary failure, so that the sender tries again. */
export function replyToError(log: Log, error: Error & { responseCode?: number }): Error {
  if (error.responseCode) return error;
  if (error instanceof ApiError && error.code === 'storage_full') return replies.mailboxFull();
  if (isDiskFull(error)) {
    log.error({ reason: error.message }, 'disk full, message not received');
    return replies.diskFull();
  }
  if (error instanceof DatabaseUnavailable)
    log.warn({ err: error }, 'database unavailable, message deferred');
  else log.error({ err: error }, 'message not received');
  return replies.temporaryFailure();
}
