// Turns the record of an email into the message that is handed over: headers, tracked links, text for plain readers.
import { asciiDomain } from '@parley/contract/mailbox';
import { htmlToText } from '../../../protocols/html/text.ts';
import type { Composition } from '../../../protocols/mail/compose/composition.ts';
import type { Sign } from '../../../protocols/mail/dkim/sign.ts';
import type { OutgoingMail } from '../../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import type { SigningKey } from '../../email-domains/index.ts';
import type { EmailRow } from '../store.ts';
import { type TrackingTokens, trackingPath } from '../tracking/tokens.ts';
import { firstLink, trackedHtml } from '../tracking/tracked-html.ts';
import { composeMail } from './compose.ts';
import type { ReturnPaths } from './return-path.ts';

export function outgoingMail(deps: {
  baseUrl(): string;
  storage: ObjectStorage;
  tokens: TrackingTokens;
  return_paths: ReturnPaths;
  rewrites: readonly string[];
  sign: Sign;
}) {
  const link = (kind: keyof typeof trackingPath, email_id: string, target?: string) =>
    deps.baseUrl() + trackingPath[kind] + deps.tokens.write(kind, email_id, target);

  return (
    email: EmailRow,
    /** The key is asked for only when the message is composed. */
    sent_by: { return_domain: string; signing(): Promise<SigningKey | null> },
    attachments: StoredAttachment[],
  ): OutgoingMail => {
    const { names, headers, track_opens, track_clicks, list_unsubscribe } = email.composition!;
    const html =
      email.body_html === null
        ? null
        : trackedHtml(email.body_html, {
            linkTo: track_clicks ? (target) => link('click', email.id, target) : null,
            pixel_url: track_opens ? link('open', email.id) : null,
          });
    const text = email.body_text ?? (email.body_html === null ? null : plainText(email.body_html));
    const all_headers = list_unsubscribe
      ? {
          ...headers,
          'List-Unsubscribe': `<${link('unsubscribe', email.id)}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }
      : headers;
    const mailbox = (address: string) => ({
      name: squeezed(names[address] ?? ''),
      address: asciiDomain(address),
    });
    const shown = (address: string) => (names[address] ? `${names[address]} <${address}>` : address);
    const composition = (): Composition => ({
      email_id: email.id,
      message_id: email.message_id!,
      date: new Date(email.requested_at),
      from: { name: squeezed(email.from_name ?? ''), address: asciiDomain(email.from_address) },
      to: email.to_addresses.map(mailbox),
      cc: email.cc_addresses.map(mailbox),
      reply_to: email.reply_to ? mailbox(email.reply_to) : null,
      subject: squeezed(email.subject),
      text,
      html,
      in_reply_to: email.in_reply_to,
      references: email.references_ids,
      headers: Object.fromEntries(
        Object.entries(all_headers).map(([name, value]) => [name, squeezed(value)]),
      ),
      attachments: attachments.map((attachment) => ({
        ...attachment,
        async open() {
          const content = await deps.storage.open(attachment.storage_key);
          if (!content) throw new Error(`The object of attachment ${attachment.id} is gone`);
          return content;
        },
      })),
    });

    return {
      email_id: email.id,
      organization_id: email.organization_id,
      envelope: {
        from: () => deps.return_paths.write(email.id, sent_by.return_domain),
        to: [
          ...new Set([...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses].map(asciiDomain)),
        ],
      },
      message_id: email.message_id!,
      shown: () => ({
        from: email.from_name ? `${email.from_name} <${email.from_address}>` : email.from_address,
        to: email.to_addresses.map(shown),
        cc: email.cc_addresses.map(shown),
        reply_to: email.reply_to,
        subject: email.subject,
        text,
        html,
        headers: all_headers,
        attachments: attachments.map(({ filename, content_type, size_bytes }) => ({
          filename,
          content_type,
          size_bytes,
        })),
      }),
      firstLink: () => (email.body_html === null ? null : firstLink(email.body_html)),
      compose: async () =>
        composeMail(composition(), await sent_by.signing(), { unsigned: deps.rewrites, sign: deps.sign }),
    };
  };
}
export type BuildOutgoing = ReturnType<typeof outgoingMail>;

/** A header is folded at blanks: a line of nothing else would look like its end (RFC 5322 section 3.2.2). */
const squeezed = (text: string) => text.replaceAll(/[ \t]{40,}/g, ' ');

const plainText = (html: string) => htmlToText(html, { max_chars: html.length, links: true });
