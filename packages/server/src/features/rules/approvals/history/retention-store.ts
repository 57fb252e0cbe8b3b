// The SQL that erases the content of decided approvals.
import type { Database } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';

/** Keeps who would have sent to whom and when; payload_sha256 still tells whether a known text is the one that was shown. */
export const withoutContent = (shown: Sql): Sql => sql`json_build_object(
  'from', ${shown} -> 'from', 'to', ${shown} -> 'to', 'cc', ${shown} -> 'cc', 'bcc', ${shown} -> 'bcc',
  'subject', null, 'body_text', null, 'body_html', null, 'attachments', '[]'::json, 'more', '{}'::json,
  'scheduled_at', ${shown} -> 'scheduled_at')`;

/** The records of an approval: one, or the messages of a batch. */
export const record_ids = sql`(select a.object_id union all
  select json_object_keys(case json_typeof(a.terms -> 'payloads') when 'object' then a.terms -> 'payloads' else '{}' end)::uuid)`;

const queued = sql.join(
  ['emails', 'sms_messages', 'calls'].map(
    (name) => sql`select from ${sql.raw(name)} r
      where r.organization_id = a.organization_id and r.id in ${record_ids} and r.status = 'queued'`,
  ),
  ' union all ',
);

export const approvalRetentionStore = (db: Database) => ({
  /**
   * Returns how many were erased. An approved record that still waits is left out: a person sees its content again if its
   * price rises.
   */
  eraseContent: (decided_before: Date, now: Date, limit: number): Promise<number> =>
    db.run(
      sql.replanned(sql`
        update approvals a set shown = ${withoutContent(sql`shown`)}, content_erased_at = ${now},
               messages = (select coalesce(json_agg(${withoutContent(sql`m`)}), '[]') from json_array_elements(a.messages) m)
         where (a.organization_id, a.id) in (
           select a.organization_id, a.id from approvals a
            where a.status <> 'pending' and a.content_erased_at is null and a.decided_at < ${decided_before}
              and (a.status <> 'approved' or not exists (${queued}))
            order by a.decided_at limit ${limit} for update skip locked)
           and a.status <> 'pending'`),
    ),
});
export type ApprovalRetentionStore = ReturnType<typeof approvalRetentionStore>;
