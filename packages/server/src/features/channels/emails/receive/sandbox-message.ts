// Builds the message that a sandbox request describes, and finds its recipients.
import { limits } from '@parley/contract/limits';
import type { SandboxInboundEmail } from '@parley/contract/operations/sandbox/sandbox-emails';
import { readMailbox } from '@parley/contract/schema/mailbox';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import { withCrLf } from '../../../../protocols/mail/line-breaks.ts';
import { UnreadableMessage } from '../../../../protocols/mail/mime/structure.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { Recipient } from './delivery.ts';
import type { MessageExaminer } from './examination/examiner.ts';
import { findRecipients } from './find-recipients.ts';

export type SandboxMessageDeps = {
  ids: Ids;
  examiner: Pick<MessageExaminer, 'examine'>;
  domains: Pick<EmailDomainService, 'receiver' | 'sender'>;
};
/** A raw message of the request, with the addresses in its header. */
export type RawMessage = { raw: Buffer; from: string | null; to: string[] };

export const default_sender = { name: null, address: 'somebody@example.org' };

/** Parses the message in a thread, like all untrusted messages. */
export async function readRawMessage({ examiner }: SandboxMessageDeps, text: string): Promise<RawMessage> {
  const read = () => withCrLf(Buffer.from(text));
  try {
    const { raw, examined } = await examiner.examine(await read(), null, read);
    const { from_address, to_addresses, cc_addresses } = examined.message;
    return { raw, from: from_address, to: [...to_addresses, ...cc_addresses] };
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    throw new ApiError('inbound_message_refused', { detail: error.message });
  }
}

export async function ownRecipients(
  { domains }: SandboxMessageDeps,
  organization_id: string,
  request: SandboxInboundEmail,
  message: RawMessage | null,
): Promise<Recipient[]> {
  const addresses = await requestedAddresses(domains, organization_id, request, message);
  const recipients = await findRecipients(domains, addresses);
  return recipients.filter(({ receiver }) => receiver.organization_id === organization_id);
}

/** The `to` of the request, or the To and Cc of its raw message, or the default address of the organization. */
async function requestedAddresses(
  domains: SandboxMessageDeps['domains'],
  organization_id: string,
  request: SandboxInboundEmail,
  message: RawMessage | null,
): Promise<string[]> {
  const cc = (request.cc ?? []).map(({ address }) => address);
  if (request.to) return [...request.to.map(({ address }) => address), ...cc];
  if (message && message.to.length > 0) return [...new Set(message.to)].slice(0, limits.inbound_recipients);
  const default_address = await domains.sender(organization_id, {});
  return typeof default_address === 'string' ? cc : [...cc, default_address.address];
}

const mailbox = ({ name, address }: { name: string | null; address: string }) => ({
  name: name ?? '',
  address,
});

export async function composeMessage(
  { ids }: SandboxMessageDeps,
  request: SandboxInboundEmail,
  to: string[],
): Promise<Buffer> {
  const html = request.html ?? request.body_html;
  const text = request.text ?? request.body_text ?? (html === undefined ? '' : undefined);
  // Only the sandbox composes inbound messages, so a service on the network does not load this.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return new MailComposer({
    from: mailbox(request.from ?? default_sender),
    to: (request.to ?? to.map((address) => readMailbox(address)!)).map(mailbox),
    cc: (request.cc ?? []).map(mailbox),
    subject: request.subject ?? '',
    messageId: request.message_id ?? `<${ids.next()}@sandbox.test>`,
    ...(request.in_reply_to ? { inReplyTo: request.in_reply_to, references: request.in_reply_to } : {}),
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    headers: request.headers ?? {},
    attachments: (request.attachments ?? []).map(({ filename, content_type, content_base64 }) => ({
      filename,
      content: Buffer.from(content_base64, 'base64'),
      ...(content_type ? { contentType: content_type } : {}),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}
