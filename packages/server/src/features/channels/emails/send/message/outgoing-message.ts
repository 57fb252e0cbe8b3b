// Turns the record of an email into the message for the transport: headers, tracked links, a text part for plain readers.
import { asciiDomain } from '@parley/contract/schema/mailbox';
import type { Composition } from '../../../../../protocols/mail/compose/composition.ts';
import type { Sign, SigningKey } from '../../../../../protocols/mail/dkim/sign.ts';
import type { OutgoingMail } from '../../../../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { StoredAttachment } from '../../../email-attachments/index.ts';
import type { TextReader } from '../../read/text-reader.ts';
import type { EmailRow } from '../../store.ts';
import { type TrackingTokens, trackingPath } from '../../tracking/tokens.ts';
import { trackedHtml } from '../../tracking/tracked-html.ts';
import { composeMail } from './compose.ts';
import type { ReturnPaths } from './return-path.ts';
import type { UncomposedMail } from './with-message.ts';

type Deps = {
  baseUrl(): string;
  storage: ObjectStorage;
  tokens: TrackingTokens;
  return_paths: ReturnPaths;
  /** Header fields that are left out of the signature, and the function that signs. */
  signature: { unsigned: readonly string[]; sign: Sign };
  texts: Pick<TextReader, 'page'>;
};

/** The sending domain: where bounces go, and the key, which is read only when the message is composed. */
export type SentBy = { return_domain: string; signing(): Promise<SigningKey | null> };

/** Unlike a storage that cannot be read at the moment, it will not come back. */
export class FileMissing extends Error {
  override name = 'FileMissing';
}

export type BuildOutgoing = ReturnType<typeof buildOutgoing>;

export const buildOutgoing =
  (deps: Deps) =>
  async (email: EmailRow, sent_by: SentBy, attachments: StoredAttachment[]): Promise<UncomposedMail> => {
    const content = await contentOf(deps, email);
    const recipients = [...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses];
    return {
      mail: {
        email_id: email.id,
        organization_id: email.organization_id,
        envelope: {
          from: deps.return_paths.write(email.id, sent_by.return_domain),
          to: [...new Set(recipients.map(asciiDomain))],
        },
        message_id: email.message_id!,
        shown: () => shown(email, content, attachments),
        first_link: content.first_link,
      },
      compose: async () =>
        composeMail(
          compositionOf(deps, email, content, attachments),
          await sent_by.signing(),
          deps.signature,
        ),
    };
  };

type Content = {
  text: string | null;
  html: string | null;
  headers: Record<string, string>;
  first_link: string | null;
};

async function contentOf(deps: Deps, email: EmailRow): Promise<Content> {
  const { headers, track_opens, track_clicks, list_unsubscribe } = email.composition!;
  const linkTo = (kind: keyof typeof trackingPath, target?: string) =>
    deps.baseUrl() + trackingPath[kind] + deps.tokens.write(kind, email.id, target);
  const { body_text, body_html } = email;
  const has_text = body_text !== null;
  const page =
    body_html === null ? null : await deps.texts.page(email.organization_id, body_html, { has_text });
  const tracking = {
    linkTo: track_clicks ? (target: string) => linkTo('click', target) : null,
    pixel_url: track_opens ? linkTo('open') : null,
  };
  return {
    html: body_html !== null && page ? trackedHtml(body_html, page, tracking) : body_html,
    text: body_text ?? page?.text ?? null,
    first_link: page?.links[0]?.target ?? null,
    headers: list_unsubscribe
      ? {
          ...headers,
          'List-Unsubscribe': `<${linkTo('unsubscribe')}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }
      : headers,
  };
}

function shown(
  email: EmailRow,
  { text, html, headers }: Content,
  attachments: StoredAttachment[],
): ReturnType<OutgoingMail['shown']> {
  const { names } = email.composition!;
  const withName = (address: string) => (names[address] ? `${names[address]} <${address}>` : address);
  return {
    from: email.from_name ? `${email.from_name} <${email.from_address}>` : email.from_address,
    to: email.to_addresses.map(withName),
    cc: email.cc_addresses.map(withName),
    reply_to: email.reply_to,
    subject: email.subject,
    text,
    html,
    headers,
    attachments: attachments.map(({ filename, content_type, size_bytes }) => ({
      filename,
      content_type,
      size_bytes,
    })),
  };
}

function compositionOf(
  { storage }: Deps,
  email: EmailRow,
  { text, html, headers }: Content,
  attachments: StoredAttachment[],
): Composition {
  const { names } = email.composition!;
  const mailbox = (address: string) => ({
    name: withoutLongBlanks(names[address] ?? ''),
    address: asciiDomain(address),
  });
  return {
    email_id: email.id,
    message_id: email.message_id!,
    date: new Date(email.released_at ?? email.requested_at),
    from: { name: withoutLongBlanks(email.from_name ?? ''), address: asciiDomain(email.from_address) },
    to: email.to_addresses.map(mailbox),
    cc: email.cc_addresses.map(mailbox),
    reply_to: email.reply_to ? mailbox(email.reply_to) : null,
    subject: withoutLongBlanks(email.subject),
    text,
    html,
    in_reply_to: email.in_reply_to,
    references: email.references_ids,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, withoutLongBlanks(value)]),
    ),
    attachments: attachments.map((attachment) => ({
      ...attachment,
      async open() {
        const content = await storage.open(attachment.storage_key);
        if (!content)
          throw new FileMissing(`The object of attachment ${attachment.id} does not exist any more`);
        return content;
      },
    })),
  };
}

/** A header is folded at blanks, and a folded line of blanks only would look like the end of the header (RFC 5322 section 3.2.2). */
const withoutLongBlanks = (text: string) => text.replaceAll(/[ \t]{40,}/g, ' ');
