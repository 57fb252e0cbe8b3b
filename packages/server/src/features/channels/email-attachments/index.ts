// Email attachments: uploaded once, streamed into storage, used in any number of emails, removed when unused.
import { type EmailAttachment, emailAttachments } from '@parley/contract/channels/emails/email-attachments';
import { limits } from '@parley/contract/limits';
import type { UploadedFile } from '@parley/contract/operation';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { routesOf } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../rules/storage-quota/index.ts';
import { mailObjectKey } from '../mail-objects/index.ts';
import { cleanFilename, mediaType, messageType } from './file-names.ts';
import { type EmailAttachmentStore, emailAttachmentStore, type StoredAttachment } from './store.ts';

export { attachmentPersonalData, releaseAttachments } from './personal-data-store.ts';
export {
  attachmentUses,
  type ReceivedAttachment,
  receivedAttachments,
  type StoredAttachment,
} from './store.ts';

type Deps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  storage: ObjectStorage;
  quota: StorageQuota;
  max_bytes: number;
  email_max_bytes: number;
  kept_days: number;
};
type WithStore = Deps & { store: EmailAttachmentStore };

export function emailAttachmentFeature(options: Deps) {
  const store = emailAttachmentStore(options.db);
  const deps: WithStore = { ...options, store };
  return {
    jobs: [
      {
        kind: 'remove_unused_attachments',
        every_seconds: 3600,
        lease_seconds: 600,
        run: (_: unknown, signal: AbortSignal) => removeUnused(deps, signal),
      },
    ],
    /** When a file that is used now expires, if it is not used again. */
    expiry: () => expiryFrom(deps, deps.clock.ms()),
    ofEmail: store.ofEmail,
    /** Stores a file that belongs to no email, until it expires. */
    insertUnused: store.insert,
    find: async (organization_id: string, id: string): Promise<StoredAttachment | null> =>
      (await store.findMany(organization_id, [id]))[0] ?? null,
    /** Where an upload can be downloaded for a short time; null when it does not exist. */
    async link(organization_id: string, id: string): Promise<string | null> {
      const [found] = await store.findMany(organization_id, [id]);
      return found ? deps.storage.link(found.storage_key, found) : null;
    },

    /** `more`: files that the email has beside the requested ones. */
    forEmail: (organization_id: string, ids: string[], more: StoredAttachment[] = []) =>
      attachmentsForEmail(deps, organization_id, ids, more),

    /** Stores a message as a file that can be attached. */
    storeMessage: (organization_id: string, message: Buffer, filename: string) =>
      storeMessage(deps, organization_id, message, filename),

    /** Stores a file that came with the request that sends it. */
    storeContent: (organization_id: string, file: NewFile) => storeContent(deps, organization_id, file),

    routes: routesOf(emailAttachments, {
      async upload({ files }, { organization_id }) {
        const stored: EmailAttachment[] = [];
        for await (const file of files) stored.push(await storeFile(deps, organization_id, file));
        if (stored.length === 0) throw new ApiError('file_missing', { path: 'body.file' });
        return { ...stored[0]!, attachments: stored };
      },
    }),
  };
}
export type EmailAttachments = ReturnType<typeof emailAttachmentFeature>;

const expiryFrom = ({ kept_days }: Deps, from_ms: number) =>
  new Date(from_ms + kept_days * 86_400_000).toISOString();

async function storeFile(
  deps: WithStore,
  organization_id: string,
  file: UploadedFile,
): Promise<EmailAttachment> {
  if (file.field !== 'file') {
    throw new ApiError('file_missing', {
      detail: `The part "${printable(file.field)}" is not named "file".`,
      path: 'body.file',
    });
  }
  const {
    storage_key: _,
    content_id: __,
    ...attachment
  } = await storeContent(deps, organization_id, {
    ...file,
    content_id: null,
  });
  return attachment;
}

type NewFile = {
  filename: string | null;
  content_type: string;
  content: Buffer | AsyncIterable<Uint8Array>;
  content_id: string | null;
};

async function storeContent(
  deps: WithStore,
  organization_id: string,
  { filename, content_type: declared, content, content_id }: NewFile,
): Promise<StoredAttachment> {
  const id = deps.ids.next();
  const storage_key = mailObjectKey('attachments/up', id);
  const content_type = mediaType(declared);
  const left_bytes = await deps.quota.left(organization_id);
  const max_bytes = Math.min(deps.max_bytes, left_bytes ?? deps.max_bytes);
  const stored = await deps.storage.put(storage_key, content, { content_type, max_bytes });
  if ('too_large' in stored) {
    if (max_bytes < deps.max_bytes) throw deps.quota.exceeded();
    throw new ApiError('attachment_too_large', {
      detail: `A file may have at most ${deps.max_bytes} bytes.`,
    });
  }
  const created = deps.clock.now();
  const attachment = {
    id,
    filename: cleanFilename(filename),
    content_type,
    ...stored,
    storage_key,
    content_id,
    created_at: created.toISOString(),
    expires_at: expiryFrom(deps, created.getTime()),
  };
  await insertWithinQuota(deps, organization_id, attachment);
  return attachment;
}

async function storeMessage(
  deps: WithStore,
  organization_id: string,
  message: Buffer,
  filename: string,
): Promise<StoredAttachment> {
  await deps.quota.check(organization_id, message.length);
  const id = deps.ids.next();
  const storage_key = mailObjectKey('attachments/up', id);
  const content_type = messageType(message);
  const stored = await deps.storage.put(storage_key, message, { content_type, max_bytes: message.length });
  if ('too_large' in stored) throw new Error(`The message has more than ${message.length} bytes`);
  const created = deps.clock.now();
  const attachment = {
    id,
    filename: cleanFilename(filename),
    content_type,
    ...stored,
    storage_key,
    created_at: created.toISOString(),
    expires_at: expiryFrom(deps, created.getTime()),
  };
  await insertWithinQuota(deps, organization_id, attachment);
  return attachment;
}

/** Another upload may have used the rest of the quota meanwhile. */
async function insertWithinQuota(
  { quota, store, storage }: WithStore,
  organization_id: string,
  attachment: StoredAttachment,
): Promise<void> {
  const { size_bytes, storage_key } = attachment;
  try {
    await quota.commit(organization_id, size_bytes, (on) => store.insert(organization_id, attachment, on));
  } catch (error) {
    if (error instanceof ApiError) await storage.remove(storage_key);
    throw error;
  }
}

async function removeUnused({ store, storage, clock }: WithStore, signal: AbortSignal): Promise<void> {
  for (;;) {
    const now = clock.now();
    const expired = await store.expired(now, 100);
    if (expired.length === 0 || signal.aborted) return;
    // Delete the row first: an object without a row is swept later, but a row without its object would be a broken link.
    const removed = await store.remove(
      expired.map(({ id }) => id),
      now,
    );
    for (const { storage_key } of removed) await storage.remove(storage_key);
    if (removed.length === 0) return;
  }
}

/** The uploads of a request, in its order. Refuses unknown and expired ones, and more bytes than one email may have. */
async function attachmentsForEmail(
  { store, clock, email_max_bytes }: WithStore,
  organization_id: string,
  requested: string[],
  more: StoredAttachment[],
): Promise<StoredAttachment[]> {
  if (requested.length === 0 && more.length === 0) return more;
  const ids = requested.map((id) => id.toLowerCase());
  const unique = [...new Set(ids)];
  const found = new Map(
    (await store.findMany(organization_id, unique)).map((attachment) => [attachment.id, attachment]),
  );
  const missing = unique.filter((id) => !found.has(id));
  if (missing.length > 0) throw refuse('attachment_not_found', ids, missing, 'names no attachment of yours');
  const uploads = unique.map((id) => found.get(id)!);
  const now = clock.now().toISOString();
  const expired = uploads.filter((each) => each.expires_at <= now).map((each) => each.id);
  if (expired.length > 0) throw refuse('attachment_expired', ids, expired, 'has expired');
  const attachments = [...more, ...uploads.filter(({ id }) => !more.some((each) => each.id === id))];
  if (attachments.length > limits.email_attachments) {
    throw new ApiError('attachments_too_large', {
      detail: `The email would have ${attachments.length} attachments; at most ${limits.email_attachments} are allowed.`,
      path: 'body.attachment_ids',
    });
  }
  const total = attachments.reduce((sum, each) => sum + each.size_bytes, 0);
  if (total > email_max_bytes) {
    throw new ApiError('attachments_too_large', {
      detail: `The attachments have ${total} bytes together; at most ${email_max_bytes} are allowed.`,
      path: 'body.attachment_ids',
    });
  }
  return attachments;
}

const refuse = (
  code: 'attachment_not_found' | 'attachment_expired',
  requested: string[],
  refused: string[],
  message: string,
) =>
  new ApiError(code, {
    detail: `${refused.join(', ')} ${message}`,
    errors: requested.flatMap((id, index) =>
      refused.includes(id)
        ? [{ path: `body.attachment_ids[${index}]`, message, code: 'invalid' as const }]
        : [],
    ),
  });

const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);
