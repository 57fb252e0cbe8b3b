// Builds the send request of a forward: its subject, its sender, and the email inside the text or as a file.
import type { EmailForward } from '@parley/contract/channels/emails/email-requests';
import { limits } from '@parley/contract/limits';
import type { EmailAttachments } from '../../../email-attachments/index.ts';
import type { ReadEmails } from '../../read/read-emails.ts';
import type { TextReader } from '../../read/text-reader.ts';
import type { EmailRow } from '../../store.ts';
import { firstOwn } from './reply.ts';
import type { SendRequest } from './resolve-request.ts';

type Deps = Pick<ReadEmails, 'rawMessage'> & {
  attachments: Pick<EmailAttachments, 'ofEmail' | 'storeMessage'>;
  texts: Pick<TextReader, 'readable' | 'plain'>;
  /** Whether the organization can send from an address. */
  isOwn(address: string): Promise<boolean>;
};

const title = '---------- Forwarded message ----------';
const max_filename_chars = 100;

export async function forwardOf(deps: Deps, email: EmailRow, request: EmailForward): Promise<SendRequest> {
  const { recipient_consent: _, as, include_attachments, subject, from, ...content } = request;
  const sender = from ?? (await ownAddress(deps, email));
  const is_attached = as === 'attachment';
  return {
    ...content,
    subject: subject ?? forwardSubject(email.subject),
    ...(sender ? { from: sender } : { email_domain_id: email.email_domain_id }),
    ...(is_attached ? {} : await bodiesOf(deps, email, request)),
    attachments: is_attached
      ? [await attachedMessage(deps, email)]
      : include_attachments === false
        ? []
        : await deps.attachments.ofEmail(email.organization_id, email.id),
  };
}

const forwardSubject = (subject: string) =>
  (/^fwd?:/i.test(subject.trim()) ? subject : `Fwd: ${subject}`)
    .slice(0, limits.email_subject_chars)
    .toWellFormed();

async function ownAddress({ isOwn }: Deps, email: EmailRow) {
  if (email.direction === 'outbound') return { name: null, address: email.from_address };
  const address = await firstOwn([...email.to_addresses, ...email.cc_addresses], isOwn);
  return address && { name: null, address };
}

async function attachedMessage(deps: Deps, email: EmailRow) {
  const name = email.subject.replaceAll(/[\\/]/g, '-').trim().slice(0, max_filename_chars) || 'message';
  return deps.attachments.storeMessage(email.organization_id, await deps.rawMessage(email), `${name}.eml`);
}

/** The own text above the forwarded one: as text, and as HTML when one of the two has HTML. */
async function bodiesOf({ texts }: Deps, email: EmailRow, { body_text, body_html }: EmailForward) {
  const { organization_id } = email;
  const lines = headerOf(email);
  const own_text = body_text ?? (body_html ? await texts.plain(organization_id, body_html) : '');
  const text =
    email.body_text ??
    (email.body_html === null ? '' : await texts.readable(organization_id, email.body_html));
  const has_html = body_html != null || email.body_html !== null;
  return {
    body_text: `${own_text ? `${own_text}\n\n` : ''}${title}\n${lines.join('\n')}\n\n${text}`,
    body_html: has_html
      ? `${body_html ?? asHtml(own_text)}<br>\n<div>${[title, ...lines].map(escaped).join('<br>\n')}</div><br>\n${email.body_html ?? asHtml(text)}`
      : null,
  };
}

/** Recipients in bcc were not shown to anyone, so they are not shown here. */
function headerOf(email: EmailRow): string[] {
  const { from_name, from_address, to_addresses, cc_addresses } = email;
  const date = email.provider_received_at ?? email.sent_at ?? email.requested_at;
  return [
    `From: ${from_name ? `${from_name} <${from_address}>` : from_address}`,
    `Date: ${new Date(date).toUTCString()}`,
    `Subject: ${email.subject}`,
    `To: ${to_addresses.join(', ')}`,
    ...(cc_addresses.length > 0 ? [`Cc: ${cc_addresses.join(', ')}`] : []),
  ].map((line) => line.replaceAll(/\p{Cc}+/gu, ' '));
}

const asHtml = (text: string) => `<div style="white-space: pre-wrap">${escaped(text)}</div>`;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (char) => escapes[char]!);
