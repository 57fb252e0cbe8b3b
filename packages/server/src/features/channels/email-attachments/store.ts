// The SQL of attachments, uploaded and received.
import type { EmailAttachment } from '@parley/contract/channels/emails/email-attachments';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { SideWriter } from '../../../platform/unit-of-work/unit-of-work.ts';

export type StoredAttachment = EmailAttachment & {
  storage_key: string;
  /** The Content-ID of a file that the HTML body shows, without angle brackets. */
  content_id?: string | null;
};

export type ReceivedAttachment = StoredAttachment & {
  organization_id: string;
  email_id: string;
  place: number;
};

const columns = sql`id, filename, content_type, size_bytes, sha256, storage_key, content_id,
  iso(created_at) as created_at, iso(expires_at) as expires_at`;

/** For the commit of a unit of work: the attachments of a received email are stored only if the email is. */
export const receivedAttachments: SideWriter<ReceivedAttachment> = {
  queries(writes, stored) {
    const rows = JSON.stringify(writes.map(({ value }) => ({ ...value, attachment_id: value.id })));
    const uses = sql`json_populate_recordset(null::email_attachment_uses, ${rows})`;
    return {
      received_attachments: sql`
        insert into email_attachments
        select * from json_populate_recordset(null::email_attachments, ${rows})
         where id in (select attachment_id from ${uses} where email_id in (${stored!}))`,
      received_attachment_uses: sql`
        insert into email_attachment_uses select * from ${uses} where email_id in (${stored!})`,
    };
  },
};

type AttachmentUse = { email_id: string; attachment_ids: string[]; expires_at: string };

/** For the commit of a unit of work: links uploads to the new email, and extends their expiry. */
export const attachmentUses: SideWriter<AttachmentUse> = {
  queries(writes, stored) {
    const uses = writes.flatMap(({ value: { email_id, attachment_ids, expires_at } }) =>
      attachment_ids.map((attachment_id, place) => ({ email_id, attachment_id, place, expires_at })),
    );
    const rows = JSON.stringify(uses);
    return {
      used: sql`
        insert into email_attachment_uses
        select * from json_populate_recordset(null::email_attachment_uses, ${rows}) where email_id in (${stored!})`,
      // Locked in the order of their ids, so that two emails with the same files cannot deadlock.
      extended: sql`
        update email_attachments a set expires_at = u.expires_at
          from (select a.id, u.expires_at from email_attachments a
                  join json_to_recordset(${rows}) u(attachment_id uuid, expires_at timestamptz) on a.id = u.attachment_id
                 order by a.id for update of a) u
         where a.id = u.id`,
    };
  },
};

export function emailAttachmentStore(db: Database) {
  return {
    insert: (organization_id: string, attachment: StoredAttachment, on: Queryable = db) =>
      on.run(sql`
        insert into email_attachments
        select * from json_populate_record(null::email_attachments, ${JSON.stringify({ organization_id, ...attachment })})`),

    findMany: (organization_id: string, ids: string[]) =>
      db.rows<StoredAttachment>(sql`
        select ${columns} from email_attachments where organization_id = ${organization_id} and id = any(${ids})`),

    /** The attachments of one email, in their order. */
    ofEmail: (organization_id: string, email_id: string) =>
      db.rows<StoredAttachment>(sql`
        select ${columns} from email_attachments a
          join email_attachment_uses u on u.attachment_id = a.id
         where a.organization_id = ${organization_id} and u.email_id = ${email_id} order by u.place`),

    /** Expired uploads that no email uses. */
    expired: (moment: Date, limit: number) =>
      db.rows<{ id: string; storage_key: string }>(sql`
        select id, storage_key from email_attachments a
         where expires_at < ${moment} and not exists (select from email_attachment_uses where attachment_id = a.id)
         order by expires_at limit ${limit}`),

    /** Keeps an upload that an email started to use in the meantime. */
    remove: (ids: string[], moment: Date) =>
      db.rows<{ storage_key: string }>(sql`
        delete from email_attachments a where id = any(${ids}) and expires_at < ${moment}
           and not exists (select from email_attachment_uses where attachment_id = a.id)
        returning storage_key`),
  };
}
export type EmailAttachmentStore = ReturnType<typeof emailAttachmentStore>;
