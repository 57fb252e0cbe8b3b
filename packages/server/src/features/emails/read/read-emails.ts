// Reads emails: the record with its links, the raw message, attachments.

import { Readable } from 'node:stream';
import type { Email } from '@parley/contract/email-records';
import type { SandboxMessage } from '@parley/contract/sandbox-outbox';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import { mailObjectKey } from '../../mail-objects/index.ts';
import type { BuildOutgoing } from '../send/outgoing-message.ts';
import type { EmailRow, EmailStore } from '../store.ts';
import type { TimelineStore } from '../timeline-store.ts';
import { extractedText, readableText } from './extracted-text.ts';

const raw_max_bytes = 200 * 1024 * 1024;

/** The record as the API shows it. */
export const presenter =
  (baseUrl: () => string) =>
  (row: EmailRow, attachments: StoredAttachment[]): Email => {
    const own = `${baseUrl()}/v1/emails/${row.id}`;
    // What JSON leaves out is for us alone; taking it out of the record would cost more than writing the rest.
    const email = {
      ...row,
      provider: undefined,
      raw_key: undefined,
      composition: undefined,
      thread_key: undefined,
      send_deadline: undefined,
      idempotency_operation: undefined,
      idempotency_key: undefined,
      admission: undefined,
      extracted_text: row.direction === 'inbound' ? extractedText(row) : null,
      raw_url: row.raw_key || row.composition ? `${own}/raw` : null,
      attachments: attachments.map(({ id, filename, content_type, size_bytes }) => ({
        id,
        filename,
        content_type,
        size_bytes,
        url: `${own}/attachments/${id}`,
      })),
    };
    return email;
  };

export type EmailView = 'full' | 'text';

/** For readers that must not see markup, such as models: hidden text would reach them and not the person. */
const textView = (email: Email): Email => ({
  ...email,
  body_text: email.body_text ?? (email.body_html === null ? null : readableText(email.body_html)),
  body_html: null,
});

export function reading(deps: {
  ids: Ids;
  store: EmailStore;
  storage: ObjectStorage;
  attachments: EmailAttachments;
  timeline: Pick<TimelineStore, 'unreadable'>;
  domains: EmailDomainService;
  outgoing: BuildOutgoing;
  present: ReturnType<typeof presenter>;
}) {
  const { store, storage } = deps;

  const find = async (organization_id: string, id: string): Promise<EmailRow> => {
    const email = await store.find(organization_id, id);
    if (!email) throw new ApiError('not_found');
    return email;
  };

  /** An outbound message is made again from its record: the same headers, boundaries and signature. */
  const outgoingAgain = async (email: EmailRow) => {
    const { organization_id, id } = email;
    const sender = await deps.domains.sender(organization_id, {
      email_domain_id: email.email_domain_id ?? id,
    });
    const signing = async () => (typeof sender === 'string' ? null : deps.domains.signingKey(sender));
    const attachments = await deps.attachments.ofEmail(organization_id, id);
    const return_domain = deps.domains.returnDomain(typeof sender === 'string' ? null : sender);
    return deps.outgoing(email, { return_domain, signing }, attachments);
  };

  const composeRaw = async (email: EmailRow): Promise<string> => {
    const { organization_id, id } = email;
    const composed = await (await outgoingAgain(email)).compose();
    try {
      const content = composed.content();
      // Never the same twice: one that a death left without a name may be swept at this very moment.
      const key = mailObjectKey('raw/out', id, deps.ids.next());
      await storage.put(key, Buffer.isBuffer(content) ? Readable.from([content]) : content, {
        content_type: 'message/rfc822',
        max_bytes: raw_max_bytes,
      });
      await store.setRawKey(organization_id, id, key);
      return key;
    } finally {
      await composed.dispose();
    }
  };

  /** A message that came back to the return path and that nobody could read; it is on the email's timeline. */
  const unreadableReport = async (organization_id: string, id: string, attachment_id: string) => {
    const reports = await deps.timeline.unreadable(organization_id, id);
    const is_named = reports.some((report) => report.attachment_id === attachment_id);
    return is_named ? deps.attachments.find(organization_id, attachment_id) : null;
  };

  return {
    find,

    async get(organization_id: string, id: string, view: EmailView = 'full'): Promise<Email> {
      const row = await find(organization_id, id);
      const email = deps.present(row, await deps.attachments.ofEmail(organization_id, id));
      return view === 'text' ? textView(email) : email;
    },

    /** The emails handed to the sandbox transport, newest first. */
    async sandboxOutbox(
      organization_id: string,
      before: string | null,
      limit: number,
    ): Promise<SandboxMessage[]> {
      const emails = await store.sandboxOutbox(organization_id, before, limit);
      return Promise.all(
        emails.map(async (email) => {
          const { envelope, message_id, shown } = await outgoingAgain(email);
          return {
            id: email.id,
            channel: 'email',
            resource_id: email.id,
            handed_at: email.sent_at ?? email.failed_at ?? email.requested_at,
            from: envelope.from(),
            to: envelope.to,
            message: { message_id, ...shown() },
          };
        }),
      );
    },

    async rawLink(organization_id: string, id: string): Promise<{ location: string }> {
      const email = await find(organization_id, id);
      if (!email.raw_key && !email.composition) throw new ApiError('not_found');
      const key = email.raw_key ?? (await composeRaw(email));
      return { location: await storage.link(key, { filename: `${id}.eml`, content_type: 'message/rfc822' }) };
    },

    async attachmentLink(organization_id: string, id: string, attachment_id: string) {
      const attachments = await deps.attachments.ofEmail(organization_id, id);
      const wanted = attachment_id.toLowerCase();
      const found =
        attachments.find((attachment) => attachment.id === wanted) ??
        (await unreadableReport(organization_id, id, wanted));
      if (!found) throw new ApiError('not_found');
      return { location: await storage.link(found.storage_key, found) };
    },
  };
}
export type Reading = ReturnType<typeof reading>;
