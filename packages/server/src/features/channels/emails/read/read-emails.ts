// Reads emails: the record with its links, the raw message, attachments, and the messages of the sandbox outbox.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { ObjectStorage } from '../../../../providers/storage/storage.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import { mailObjectKey } from '../../mail-objects/index.ts';
import type { BuildOutgoing } from '../send/message/outgoing-message.ts';
import type { UncomposedMail } from '../send/message/with-message.ts';
import type { EmailRow, EmailStore } from '../store.ts';
import type { TimelineStore } from '../timeline-store.ts';
import type { PresentEmail } from './present-email.ts';
import type { TextReader } from './text-reader.ts';

const raw_max_bytes = 200 * 1024 * 1024;

export type EmailView = 'full' | 'text';

type Deps = {
  ids: Ids;
  store: EmailStore;
  storage: ObjectStorage;
  attachments: EmailAttachments;
  timeline: Pick<TimelineStore, 'unreadableReports'>;
  domains: EmailDomainService;
  outgoing: BuildOutgoing;
  present: PresentEmail;
  texts: Pick<TextReader, 'extracted' | 'readable'>;
};

export const readEmails = (deps: Deps) => ({
  find: (organization_id: string, id: string) => find(deps, organization_id, id),

  async get(organization_id: string, id: string, view: EmailView = 'full'): Promise<Email> {
    const row = await find(deps, organization_id, id);
    const [attachments, extracted_text] = await Promise.all([
      deps.attachments.ofEmail(organization_id, id),
      row.direction === 'inbound' ? deps.texts.extracted(row) : null,
    ]);
    const email = deps.present(row, attachments, extracted_text);
    return view === 'text' ? textView(deps, email) : email;
  },

  /** The emails that the sandbox transport was handed, newest first. */
  async sandboxOutbox(
    organization_id: string,
    before: string | null,
    limit: number,
  ): Promise<SandboxMessage[]> {
    const emails = await deps.store.sandboxOutbox(organization_id, before, limit);
    return Promise.all(emails.map((email) => sandboxMessage(deps, email)));
  },

  async rawLink(organization_id: string, id: string): Promise<{ location: string }> {
    const key = await rawKeyOf(deps, await find(deps, organization_id, id));
    return {
      location: await deps.storage.link(key, { filename: `${id}.eml`, content_type: 'message/rfc822' }),
    };
  },

  /** The whole message, as it was received or sent. */
  async rawMessage(email: EmailRow): Promise<Buffer> {
    const content = await deps.storage.open(await rawKeyOf(deps, email));
    if (!content) throw new Error(`The raw message of email ${email.id} does not exist`);
    return buffer(content);
  },

  async attachmentLink(organization_id: string, id: string, attachment_id: string) {
    const found = await findAttachment(deps, organization_id, id, attachment_id.toLowerCase());
    if (!found) throw new ApiError('not_found');
    return { location: await deps.storage.link(found.storage_key, found) };
  },
});
export type ReadEmails = ReturnType<typeof readEmails>;

async function find({ store }: Deps, organization_id: string, id: string): Promise<EmailRow> {
  const email = await store.find(organization_id, id);
  if (!email) throw new ApiError('not_found');
  return email;
}

/** For readers that must not see markup, such as language models: hidden text would reach them, but not a person. */
async function textView({ texts }: Deps, email: Email): Promise<Email> {
  const { organization_id, body_text, body_html } = email;
  return {
    ...email,
    body_text: body_text ?? (body_html === null ? null : await texts.readable(organization_id, body_html)),
    body_html: null,
  };
}

/** Builds the outgoing message again from the record: the same headers, boundaries and signature. */
async function rebuildOutgoing(deps: Deps, email: EmailRow): Promise<UncomposedMail> {
  const { organization_id, id } = email;
  const sender = await deps.domains.sender(organization_id, {
    email_domain_id: email.email_domain_id ?? id,
  });
  const signing = async () => (typeof sender === 'string' ? null : deps.domains.signingKey(sender));
  const attachments = await deps.attachments.ofEmail(organization_id, id);
  const return_domain = deps.domains.returnDomain(typeof sender === 'string' ? null : sender);
  return deps.outgoing(email, { return_domain, signing }, attachments);
}

/** Without its content an email cannot be built again. */
async function sandboxMessage(deps: Deps, email: EmailRow): Promise<SandboxMessage> {
  const { content_erased_at, from_address, to_addresses, cc_addresses, bcc_addresses } = email;
  const entry = {
    id: email.id,
    channel: 'email' as const,
    resource_id: email.id,
    handed_at: email.sent_at ?? email.failed_at ?? email.requested_at,
    content_erased_at,
  };
  if (email.composition === null) {
    const to = [...new Set([...to_addresses, ...cc_addresses, ...bcc_addresses])];
    return { ...entry, from: from_address, to, message: {} };
  }
  const { mail } = await rebuildOutgoing(deps, email);
  const message = { message_id: mail.message_id, ...mail.shown() };
  return { ...entry, from: mail.envelope.from, to: mail.envelope.to, message };
}

async function rawKeyOf(deps: Deps, email: EmailRow): Promise<string> {
  if (!email.raw_key && !email.composition) throw new ApiError('not_found');
  return email.raw_key ?? storeRawMessage(deps, email);
}

async function storeRawMessage(deps: Deps, email: EmailRow): Promise<string> {
  const { organization_id, id } = email;
  const composed = await (await rebuildOutgoing(deps, email)).compose();
  try {
    const content = composed.content();
    // Use a fresh key each time: the sweeper may be deleting an object that a crashed process left under the old key.
    const key = mailObjectKey('raw/out', id, deps.ids.next());
    const stored = await deps.storage.put(
      key,
      Buffer.isBuffer(content) ? Readable.from([content]) : content,
      {
        content_type: 'message/rfc822',
        max_bytes: raw_max_bytes,
      },
    );
    if ('too_large' in stored) throw new Error(`The message has more than ${raw_max_bytes} bytes`);
    await deps.store.setRaw(organization_id, id, { key, bytes: stored.size_bytes });
    return key;
  } finally {
    await composed.dispose();
  }
}

/** An attachment of the email, or a stored report from its timeline. */
async function findAttachment(
  deps: Deps,
  organization_id: string,
  id: string,
  attachment_id: string,
): Promise<StoredAttachment | null> {
  const attachments = await deps.attachments.ofEmail(organization_id, id);
  const attached = attachments.find((attachment) => attachment.id === attachment_id);
  if (attached) return attached;
  const reports = await deps.timeline.unreadableReports(organization_id, id);
  const is_report = reports.some((report) => report.attachment_id === attachment_id);
  return is_report ? deps.attachments.find(organization_id, attachment_id) : null;
}
