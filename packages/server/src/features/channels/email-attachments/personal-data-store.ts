// The SQL that takes files from emails that lose their content, and deletes those that only an erased person had.
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

const not_a_proof = (organization_id: string): Sql => sql`not exists (
  select from consents c where c.organization_id = ${organization_id} and c.proof_attachment_id = a.id)`;

/** After their objects were removed. */
export async function deleteAttachments(
  db: Queryable,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  await db.run(sql`
    delete from email_attachment_uses u using email_attachments a
     where a.id = u.attachment_id and a.organization_id = ${organization_id} and a.id = any(${[...ids]}::uuid[])`);
  await db.run(sql`delete from email_attachments where ${ofOrganization(organization_id, 'id', ids)}`);
}

/**
 * Files that other emails use stay there. Those that nothing uses any more are deleted by the job of expired uploads, also
 * reports that could not be read. Returns how many files the emails no longer use.
 */
export async function releaseAttachments(
  tx: Transaction,
  {
    organization_id,
    email_ids,
    report_ids,
    now,
  }: { organization_id: string; email_ids: readonly string[]; report_ids: readonly string[]; now: Date },
): Promise<number> {
  const released = await tx.rows<{ id: string }>(sql`
    delete from email_attachment_uses u using email_attachments a
     where a.id = u.attachment_id and a.organization_id = ${organization_id}
       and u.email_id = any(${[...email_ids]}::uuid[]) returning u.attachment_id as id`);
  const ids = new Set(released.map(({ id }) => id));
  await tx.run(sql`
    update email_attachments a set expires_at = least(expires_at, ${now})
     where ${ofOrganization(organization_id, 'id', [...ids, ...report_ids])}
       and not exists (select from email_attachment_uses u where u.attachment_id = a.id)
       and ${not_a_proof(organization_id)}`);
  return ids.size;
}

export const attachmentPersonalData: PersonalData = {
  owner: 'channels/email-attachments',
  tables: {
    email_attachments: { erased: '*' },
  },
  objects: {
    count: 'attachments',
    of: (db, organization_id, ids, erased) =>
      db.rows(sql`
        select distinct a.id, a.storage_key as key
          from email_attachment_uses u join email_attachments a on a.id = u.attachment_id
         where a.organization_id = ${organization_id} and u.email_id = any(${[...ids]}::uuid[])
           and not exists (select from email_attachment_uses o where o.attachment_id = a.id and o.email_id not in ${erased})
           and ${not_a_proof(organization_id)}`),
    forget: deleteAttachments,
  },
};
