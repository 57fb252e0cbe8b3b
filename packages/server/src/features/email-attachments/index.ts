// Email attachments: uploaded once, streamed into storage, used in any number of emails, removed when unused.
import { type EmailAttachment, emailAttachments } from '@parley/contract/email-attachments';
import type { UploadedFile } from '@parley/contract/operation';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import { mailObjectKey } from '../mail-objects/index.ts';
import type { StorageQuota } from '../storage-quota/index.ts';
import { emailAttachmentStore, type StoredAttachment } from './store.ts';

export type { ReceivedAttachment, StoredAttachment } from './store.ts';

export function emailAttachmentFeature(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  storage: ObjectStorage;
  quota: StorageQuota;
  max_bytes: number;
  email_max_bytes: number;
  kept_days: number;
}) {
  const { clock, ids, storage, quota } = deps;
  const store = emailAttachmentStore(deps.db);
  const expiry = (from_ms = clock.ms()) => new Date(from_ms + deps.kept_days * 86_400_000).toISOString();

  const keepFile = async (organization_id: string, file: UploadedFile): Promise<EmailAttachment> => {
    if (file.field !== 'file') {
      throw new ApiError('file_missing', {
        detail: `The part "${printable(file.field)}" is not named "file".`,
        path: 'body.file',
      });
    }
    const id = ids.next();
    const storage_key = mailObjectKey('attachments/up', id);
    const content_type = mediaType(file.content_type);
    const left_bytes = await quota.left(organization_id);
    const max_bytes = Math.min(deps.max_bytes, left_bytes ?? deps.max_bytes);
    const kept = await storage.put(storage_key, file.content, { content_type, max_bytes });
    if ('too_large' in kept) {
      if (max_bytes < deps.max_bytes) throw quota.exceeded();
      throw new ApiError('attachment_too_large', {
        detail: `A file may have at most ${deps.max_bytes} bytes.`,
      });
    }
    const created = clock.now();
    const attachment = {
      id,
      filename: fileName(file.filename),
      content_type,
      ...kept,
      created_at: created.toISOString(),
      expires_at: expiry(created.getTime()),
    };
    await store.insert(organization_id, { ...attachment, storage_key });
    quota.stored(organization_id, kept.size_bytes);
    return attachment;
  };

  const jobs: JobHandler[] = [
    {
      kind: 'remove_unused_attachments',
      every_seconds: 3600,
      lease_seconds: 600,
      async run(_, signal) {
        for (;;) {
          const now = clock.now();
          const found = await store.expired(now, 100);
          if (found.length === 0 || signal.aborted) return;
          // The row goes first: an object without a row is only litter, a row without its object is a lie.
          const removed = await store.remove(
            found.map((each) => each.id),
            now,
          );
          for (const { storage_key } of removed) await storage.remove(storage_key);
          if (removed.length === 0) return;
        }
      },
    },
  ];

  return {
    jobs,
    expiry,
    ofEmail: store.ofEmail,
    insertReceived: store.insertReceived,
    /** A file that belongs to no email: it is removed when it expires. */
    insertUnused: store.insert,
    find: async (organization_id: string, id: string): Promise<StoredAttachment | null> =>
      (await store.findMany(organization_id, [id]))[0] ?? null,

    /** The uploads that an email names, in that order; refuses what is unknown, expired or too much. */
    async forEmail(organization_id: string, given: string[]): Promise<StoredAttachment[]> {
      if (given.length === 0) return [];
      const wanted = given.map((id) => id.toLowerCase());
      const unique = [...new Set(wanted)];
      const found = new Map(
        (await store.findMany(organization_id, unique)).map((attachment) => [attachment.id, attachment]),
      );
      const refuse = (code: 'attachment_not_found' | 'attachment_expired', bad: string[], words: string) =>
        new ApiError(code, {
          detail: `${bad.join(', ')} ${words}`,
          errors: wanted.flatMap((id, index) =>
            bad.includes(id)
              ? [{ path: `body.attachment_ids[${index}]`, message: words, code: 'invalid' as const }]
              : [],
          ),
        });
      const missing = unique.filter((id) => !found.has(id));
      if (missing.length > 0) throw refuse('attachment_not_found', missing, 'names no attachment of yours');
      const attachments = unique.map((id) => found.get(id)!);
      const now = clock.now().toISOString();
      const expired = attachments.filter((each) => each.expires_at <= now).map((each) => each.id);
      if (expired.length > 0) throw refuse('attachment_expired', expired, 'has expired');
      const total = attachments.reduce((sum, each) => sum + each.size_bytes, 0);
      if (total > deps.email_max_bytes) {
        throw new ApiError('attachments_too_large', {
          detail: `The attachments have ${total} bytes together; at most ${deps.email_max_bytes} are allowed.`,
          path: 'body.attachment_ids',
        });
      }
      return attachments;
    },

    routes: routesOf(emailAttachments, {
      async upload({ files }, { organization_id }) {
        const kept: EmailAttachment[] = [];
        for await (const file of files) kept.push(await keepFile(organization_id, file));
        if (kept.length === 0) throw new ApiError('file_missing', { path: 'body.file' });
        return { ...kept[0]!, attachments: kept };
      },
    }),
  };
}
export type EmailAttachments = ReturnType<typeof emailAttachmentFeature>;

const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);

/** Only the last part of a path, without what no file system or header should meet. */
function fileName(given: string | null): string {
  const name = (given ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[\\/]/, '')
    .trim();
  return [...name].slice(0, 200).join('') || 'file';
}

function mediaType(given: string): string {
  const type = given.toLowerCase().split(';')[0]!.trim();
  // A part that calls itself a multipart would be read as a tree of its own.
  return /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/.test(
    type,
  )
    ? type
    : 'application/octet-stream';
}
