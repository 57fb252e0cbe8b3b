// Stores the raw message and the attachments of received mail as objects.
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { ParsedMessage } from '../../../../../protocols/mail/mime/parse-message.ts';
import { contentOf } from '../../../../../protocols/mail/mime/pieces.ts';
import { UnreadableMessage } from '../../../../../protocols/mail/mime/structure.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { EmailAttachments, StoredAttachment } from '../../../email-attachments/index.ts';
import { mailObjectKey } from '../../../mail-objects/index.ts';

export type MessageFileDeps = {
  clock: Clock;
  ids: Ids;
  log: Log;
  storage: ObjectStorage;
  attachments: Pick<EmailAttachments, 'expiry'>;
  max_bytes: number;
};

export const rawKey = (email_id: string) => mailObjectKey('raw/in', email_id);

/** Has no size limit: the SMTP server checked the size, and a message that a provider has accepted must not be lost. */
export const storeRaw = ({ storage }: Pick<MessageFileDeps, 'storage'>, email_id: string, raw: Buffer) =>
  storage.put(rawKey(email_id), raw, { content_type: 'message/rfc822', max_bytes: raw.length });

export async function readRaw(storage: ObjectStorage, key: string): Promise<Buffer> {
  const content = await storage.open(key);
  if (!content) throw new Error(`The raw message ${key} does not exist`);
  return buffer(content);
}

export const storeAttachments = (
  { clock, ids, storage, attachments, max_bytes }: MessageFileDeps,
  raw: Buffer,
  message: ParsedMessage,
): Promise<StoredAttachment[]> =>
  Promise.all(
    message.attachments.map(async ({ filename, content_type, pieces }) => {
      const id = ids.next();
      const storage_key = mailObjectKey('attachments/in', id);
      const [only] = pieces;
      const content = pieces.length === 1 && only instanceof Uint8Array ? only : contentOf(raw, pieces);
      const stored = await storage.put(storage_key, content, {
        content_type,
        max_bytes: Math.max(max_bytes, raw.length) * 2,
      });
      if ('too_large' in stored) throw new UnreadableMessage('An attachment is too large');
      const created_at = clock.now().toISOString();
      const expires_at = attachments.expiry();
      return { id, filename, content_type, ...stored, storage_key, created_at, expires_at };
    }),
  );

/** A failure is only logged: the sweeper of mail objects deletes what remains. */
export async function removeObjects(
  { storage, log }: Pick<MessageFileDeps, 'storage' | 'log'>,
  keys: string[],
): Promise<void> {
  for (const key of keys)
    await storage.remove(key).catch((error: Error) => log.warn({ err: error }, 'object not removed'));
}
