// Sends an email: everything that can be refused is refused first, then it is stored, handed over and closed.
import type { Email } from '@parley/contract/email-records';
import type { EmailCreate } from '@parley/contract/emails';
import { addressKey, asciiDomain, type Mailbox } from '@parley/contract/mailbox';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { JsonText } from '../../../platform/http/json-text.ts';
import { problemResponse } from '../../../platform/http/problem.ts';
import type { IdempotentRequest } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { OutgoingMail, SendOutcome } from '../../../providers/mail/transport.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Admitted,
  admissionText,
  type GuardedTransport,
  type Stopped,
  stoppedBecause,
} from '../../admission/index.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailDomainService, Sender } from '../../email-domains/index.ts';
import type { AnsweredEmail, EmailRow, EmailStore, NewEmail } from '../store.ts';
import { isMessageId, referencesFor, threadKey } from '../threads.ts';
import type { BuildOutgoing } from './outgoing-message.ts';
import { endReasonOf, type Finished, type HandOverOutcome } from './record-outcome.ts';
import type { SendFactsStore } from './send-facts-store.ts';

export type SendRequest = Omit<EmailCreate, 'recipient_consent'> & {
  /** The email being answered, when the caller already read it. */
  answers?: AnsweredEmail;
};
type Recipients = Record<'to' | 'cc' | 'bcc', Mailbox[]>;
export type SendContext = { idempotency: IdempotentRequest | null; request_id: string };

/** After the transport's own deadline: time to write the outcome down before the sweeper takes the email for lost. */
const closing_ms = 15_000;
/** How long a transport that was told to stop may take to say whether the message was handed over. */
const stopping_ms = 1000;
const too_late: SendOutcome = {
  accepted: false,
  reason: 'timeout',
  retryable: true,
  detail: { response: 'Storing the email took so long that it was not handed over' },
};
/** How long what was asked at the beginning of the request still holds at the hand-over. */
const facts_age_ms = 2000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function sending(deps: {
  clock: Clock;
  ids: Ids;
  log: Log;
  store: EmailStore;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  facts: SendFactsStore;
  admission: Pick<Admission, 'admit'>;
  transport: GuardedTransport | null;
  outgoing: BuildOutgoing;
  finish(finished: Finished): Promise<boolean>;
  /** Corrects an email that was closed as unconfirmed although the transport took it; false when it was not. */
  confirm(email: EmailRow, outcome: SendOutcome & { accepted: true }): Promise<boolean>;
  present(email: EmailRow, attachments: StoredAttachment[]): Email;
  timeout_ms: number;
}) {
  const { clock, ids, store, domains } = deps;

  const senderOf = async (organization_id: string, request: SendRequest) => {
    const sender = await domains.sender(organization_id, {
      address: request.from ? asciiDomain(request.from.address) : undefined,
      email_domain_id: request.email_domain_id ?? undefined,
    });
    if (typeof sender !== 'string') return sender;
    const path = sender === 'from_not_allowed' ? 'body.from' : 'body.email_domain_id';
    throw new ApiError(sender, {
      errors: [{ path, message: 'Not a verified sender of yours', code: 'invalid' }],
    });
  };

  /** The email that a new one answers, where one is named. */
  const answeredBy = async (organization_id: string, named: string): Promise<AnsweredEmail> => {
    if (uuid.test(named)) {
      const answered = await store.answered(organization_id, { id: named });
      if (!answered) throw unknownTarget();
      return answered;
    }
    const message_id = named.startsWith('<') ? named : `<${named}>`;
    if (!isMessageId(message_id)) throw unknownTarget();
    const answered = await store.answered(organization_id, { message_id });
    return answered ?? { id: '', conversation_id: '', message_id, references_ids: [] };
  };

  /** Who sends it, what it answers, the conversation it belongs to, and which recipients are suppressed. */
  const networkOf = async (organization_id: string, request: SendRequest, recipients: Recipients) => {
    const sender = await senderOf(organization_id, request);
    const mailboxes = [...recipients.to, ...recipients.cc].map(({ address }) => address);
    const thread_key = threadKey(request.subject, [sender.address, ...mailboxes]);
    const named = request.in_reply_to?.trim();
    const answered = request.answers ?? (named ? await answeredBy(organization_id, named) : null);
    const everybody = [...mailboxes, ...recipients.bcc.map(({ address }) => address)];
    const facts = await deps.facts.ask(organization_id, {
      addresses: everybody.filter((address) => !deps.transport?.isRepeatable?.(address)),
      thread_key: answered?.conversation_id ? null : thread_key,
    });
    const thread = {
      conversation_id: answered?.conversation_id || facts.conversation_id || ids.next(),
      in_reply_to: answered?.message_id ?? null,
      references_ids: answered ? referencesFor(answered) : [],
    };
    return { sender, thread_key, thread, suppressed: facts.suppressed };
  };

  /** Whether so much time passed before the hand-over that this could end after the email was given up as lost. */
  const isTooLate = (email: EmailRow) =>
    email.send_deadline !== null &&
    clock.ms() + deps.timeout_ms + closing_ms / 2 > Date.parse(email.send_deadline);

  const transmit = async (mail: OutgoingMail, admitted: Admitted): Promise<SendOutcome> => {
    const cut = new AbortController();
    const late: SendOutcome = {
      accepted: false,
      reason: 'timeout',
      retryable: true,
      may_be_taken: true,
      detail: { response: `No answer within ${deps.timeout_ms} ms` },
    };
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<SendOutcome>((resolve) => {
      timer = setTimeout(() => {
        timer = setTimeout(() => resolve(late), stopping_ms);
        cut.abort();
      }, deps.timeout_ms);
    });
    try {
      return await Promise.race([deps.transport!.send(mail, admitted, cut.signal), deadline]);
    } catch (error) {
      deps.log.error({ err: error, email_id: mail.email_id }, 'the mail transport broke');
      return { accepted: false, reason: 'provider_error', retryable: true, detail: {} };
    } finally {
      clearTimeout(timer);
    }
  };

  const handOver = async (
    email: EmailRow,
    mail: OutgoingMail,
    leaving: AdmissionRequest,
    asked_ms: number,
  ): Promise<HandOverOutcome> => {
    // The answer of the request's own query holds for a moment; only a slow request asks again.
    const is_old = clock.ms() - asked_ms > facts_age_ms;
    const suppressedNow = async () => {
      const addresses = leaving.recipients.filter((address) => !deps.transport?.isRepeatable?.(address));
      const question = { addresses, thread_key: null };
      return (await deps.facts.ask(email.organization_id, question)).suppressed;
    };
    const decision = await deps.admission.admit('hand_over', {
      ...leaving,
      recipients: mail.envelope.to,
      ...(is_old ? { suppressed: suppressedNow } : {}),
    });
    email.admission = admissionText(decision);
    return decision.outcome === 'allow' ? transmit(mail, decision.admitted) : notAllowed(decision);
  };

  return async function send(
    organization_id: string,
    request: SendRequest,
    context: SendContext,
  ): Promise<JsonText> {
    if (!deps.transport) throw new ApiError('mail_not_configured');
    const recipients: Recipients = { to: request.to, cc: request.cc ?? [], bcc: request.bcc ?? [] };
    const asked_ms = clock.ms();
    const [{ sender, thread_key, thread, suppressed }, attachments] = await Promise.all([
      networkOf(organization_id, request, recipients),
      deps.attachments.forEmail(organization_id, request.attachment_ids ?? []),
    ]);
    const claim = context.idempotency?.row(null) ?? null;
    const email = newEmail({ organization_id, request, sender, recipients, thread, thread_key, claim });

    const record: NewEmail = {
      email,
      key: claim,
      attachment_ids: attachments.map((attachment) => attachment.id),
      attachments_expire_at: deps.attachments.expiry(),
    };
    const leaving: AdmissionRequest = {
      organization_id,
      channel: 'emails',
      origin: 'api',
      recipients: [...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses],
      consent: 'warranted',
      suppressed,
    };
    const decision = await deps.admission.admit('create', leaving);
    if (decision.outcome !== 'allow') {
      throw decision.check === 'suppression' ? recipientSuppressed(recipients, suppressed) : decision.error;
    }
    // Before the email is stored: a body that cannot be sent is refused.
    const mail = deps.outgoing(
      email,
      { return_domain: domains.returnDomain(sender), signing: () => domains.signingKey(sender) },
      attachments,
    );
    await store.insert(organization_id, record, decision.commit);
    const outcome = isTooLate(email) ? too_late : await handOver(email, mail, leaving, asked_ms);
    return close(email, attachments, outcome, context);
  };

  async function close(
    email: EmailRow,
    attachments: StoredAttachment[],
    outcome: HandOverOutcome,
    context: SendContext,
  ): Promise<JsonText> {
    const now = clock.now().toISOString();
    email.last_event_at = now;
    if (outcome.accepted) {
      email.status = 'sent';
      email.sent_at = now;
      email.provider_message_id = outcome.provider_message_id;
      email.message_id = outcome.message_id ?? email.message_id;
      const body = JSON.stringify(deps.present(email, attachments));
      const finished = await deps.finish({ email, outcome, answer: { status: 201, body } });
      if (finished) return new JsonText(body);
      // The sweeper already closed this email, and the idempotency key holds that answer: return the same one. The
      // record is corrected, because now it is known that the transport took the message.
      const was_unconfirmed = await deps.confirm(email, outcome);
      email.end_reason = was_unconfirmed ? 'unconfirmed' : 'timeout';
    } else {
      email.status = 'failed';
      email.failed_at = now;
      email.end_reason = endReasonOf(outcome);
    }
    if (outcome.accepted) throw sendFailed(email);
    const failed = outcome.reason === 'not_allowed' ? stoppedBefore : sendFailed;
    const { status, body } = problemResponse(failed(email), context.request_id);
    const is_stored = await deps.finish({ email, outcome, answer: { status, body } });
    throw failed(email, { is_stored });
  }

  function newEmail(of: {
    organization_id: string;
    request: SendRequest;
    sender: Sender & { address: string };
    recipients: Recipients;
    thread: { conversation_id: string; in_reply_to: string | null; references_ids: string[] };
    thread_key: string;
    claim: { operation: string; key: string } | null;
  }): EmailRow {
    const { request, sender, recipients } = of;
    const id = ids.next();
    const now = clock.ms();
    const has_html = request.body_html != null;
    const mailboxes = [...recipients.to, ...recipients.cc, ...(request.reply_to ? [request.reply_to] : [])];
    const plain = (list: Mailbox[]) => list.map((mailbox) => mailbox.address);
    return {
      id,
      organization_id: of.organization_id,
      // Each by its name: a literal that spreads another object in is made many times slower.
      conversation_id: of.thread.conversation_id,
      in_reply_to: of.thread.in_reply_to,
      references_ids: of.thread.references_ids,
      email_domain_id: sender.id,
      direction: 'outbound',
      from_address: sender.address,
      from_name: request.from_name ?? request.from?.name ?? null,
      to_addresses: plain(recipients.to),
      cc_addresses: plain(recipients.cc),
      bcc_addresses: plain(recipients.bcc),
      reply_to: request.reply_to?.address ?? null,
      subject: request.subject,
      status: 'queued',
      end_reason: null,
      provider: deps.transport!.name,
      provider_message_id: null,
      requested_at: new Date(now).toISOString(),
      sent_at: null,
      failed_at: null,
      metadata: request.metadata ?? {},
      body_text: request.body_text ?? null,
      body_html: request.body_html ?? null,
      message_id: `<${id}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`,
      is_auto_reply: false,
      spam_verdict: null,
      virus_verdict: null,
      dkim_verdict: null,
      spf_verdict: null,
      dmarc_verdict: null,
      provider_received_at: null,
      last_event_at: null,
      raw_key: null,
      composition: {
        names: Object.fromEntries(mailboxes.flatMap(({ name, address }) => (name ? [[address, name]] : []))),
        headers: request.headers ?? {},
        track_opens: has_html && (request.track_opens ?? true),
        track_clicks: has_html && (request.track_clicks ?? true),
        list_unsubscribe: request.list_unsubscribe ?? false,
      },
      thread_key: of.thread_key,
      send_deadline: new Date(now + deps.timeout_ms + closing_ms).toISOString(),
      idempotency_operation: of.claim?.operation ?? null,
      idempotency_key: of.claim?.key ?? null,
      admission: null,
    };
  }
}

function recipientSuppressed(recipients: Recipients, suppressed: string[]): ApiError {
  const keys = new Set(suppressed.map(addressKey));
  return new ApiError('recipient_suppressed', {
    detail: `${suppressed.join(', ')} ${suppressed.length === 1 ? 'is' : 'are'} on the suppression list.`,
    errors: Object.entries(recipients).flatMap(([field, list]) =>
      list.flatMap(({ address }, index) =>
        keys.has(addressKey(address))
          ? [
              {
                path: `body.${field}[${index}]`,
                message: `${address} is suppressed`,
                code: 'invalid' as const,
              },
            ]
          : [],
      ),
    ),
  });
}

const unknownTarget = () =>
  new ApiError('reply_target_not_found', {
    errors: [
      { path: 'body.in_reply_to', message: 'Neither an email of yours nor a Message-ID', code: 'invalid' },
    ],
  });

const notAllowed = (decision: Stopped): HandOverOutcome => ({
  accepted: false,
  reason: 'not_allowed',
  retryable: false,
  detail: stoppedBecause(decision),
});

const stoppedBefore = (email: EmailRow, more: { is_stored?: boolean } = {}) =>
  new ApiError('email_not_allowed', {
    ...more,
    fix: `GET /v1/emails/${email.id}/events says which rule. Send again later with a new Idempotency-Key.`,
  });

/** Says the same whoever says it first: the request itself, or the sweeper after its process died. */
export const sendFailed = (email: EmailRow, more: { is_stored?: boolean } = {}) =>
  email.end_reason === 'unconfirmed'
    ? new ApiError('email_unconfirmed', {
        ...more,
        fix: `Do not send it again yet: the recipients may have got it. GET /v1/emails/${email.id} says sent, bounced or complained once a report settles it.`,
      })
    : new ApiError('email_send_failed', {
        ...more,
        fix: `GET /v1/emails/${email.id} says why in end_reason. Correct the cause and send again with a new Idempotency-Key.`,
      });
