// Stores messages to a signed return path that could not be understood, with an entry on the timeline of their email.
// They expire like unused uploads.
import { createHash } from 'node:crypto';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database } from '../../../../../platform/db/database.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { EmailAttachments } from '../../../email-attachments/index.ts';
import { mailObjectKey } from '../../../mail-objects/index.ts';
import type { TimelineStore } from '../../timeline-store.ts';

export type UnreadableReport = { raw: Buffer; from: string; subject: string };
export type StoreUnreadableReport = (
  email: { organization_id: string; id: string },
  report: UnreadableReport,
) => Promise<void>;

/** The same limit as the report reader. */
const max_bytes = 2 * 1024 * 1024;
const filename = 'report.eml';
const content_type = 'message/rfc822';

export function unreadableReports(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  storage: ObjectStorage;
  attachments: Pick<EmailAttachments, 'expiry' | 'insertUnused'>;
  timeline: TimelineStore;
}): StoreUnreadableReport {
  const { clock, ids, storage, timeline } = deps;

  return async ({ organization_id, id: email_id }, { raw, from, subject }) => {
    const dedupe_key = `unreadable_report:${createHash('sha256').update(raw).digest('base64url')}`;
    const before = await timeline.unreadableReports(organization_id, email_id);
    if (before.some((report) => report.dedupe_key === dedupe_key)) return;
    if (before.length >= limits.email_unreadable_reports) {
      deps.log.warn({ organization_id, email_id }, 'too many unreadable reports for one email');
      return;
    }
    const attachment_id = ids.next();
    const storage_key = mailObjectKey('raw/in', attachment_id);
    const content = raw.subarray(0, max_bytes);
    const stored = await storage.put(storage_key, content, { content_type, max_bytes });
    // Cannot happen: the content was truncated to that size.
    if ('too_large' in stored) throw new Error('An unreadable report is too large');
    const now = clock.now().toISOString();
    const detail = {
      attachment_id,
      size_bytes: raw.length,
      is_cut: raw.length > max_bytes,
      from: printable(from),
      subject: printable(subject),
    };
    const is_new = await deps.db.transaction(async (tx) => {
      const entry = { id: ids.next(), organization_id, email_id, occurred_at: now, dedupe_key };
      const added = await timeline.add(tx, [{ ...entry, kind: 'unreadable_report', detail, counted: [] }]);
      if (added.size === 0) return false;
      const attachment = { id: attachment_id, filename, content_type, ...stored, storage_key };
      await deps.attachments.insertUnused(
        organization_id,
        { ...attachment, created_at: now, expires_at: deps.attachments.expiry() },
        tx,
      );
      return true;
    });
    // Another process stored the same report first. After a crash, the sweeper removes the object.
    if (!is_new) await storage.remove(storage_key);
  };
}

const printable = (text: string) =>
  text
    .slice(0, 500)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();
