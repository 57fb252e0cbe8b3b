// The SQL that finds old records by the time in their ids, and erases their content.
import { nil_uuid } from '@parley/contract/limits';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';

/** The position of a step that needs none: it begins with the oldest row each time. */
export const nil_position = nil_uuid;

export type Range = { organization_id: string; before: Date; reached: string | null };
export type OldRecord = {
  id: string;
  is_finished: boolean;
  has_content: boolean;
  /** Of its object in the storage: the raw email or the recording. */
  key: string | null;
};
export type Records = { organization_id: string; ids: readonly string[]; now: Date };

const oldRecords =
  (table: string, { is_finished, key }: { is_finished: Sql; key: Sql }) =>
  (db: Database, { organization_id, before, reached }: Range, limit: number): Promise<OldRecord[]> =>
    db.rows<OldRecord>(
      sql.replanned(sql`
        select id, ${is_finished} as is_finished, content_erased_at is null as has_content, ${key} as key
          from ${sql.raw(table)}
         where organization_id = ${organization_id} and id < ${firstIdAt(before)}
           ${reached === null ? sql.empty : sql`and id > ${reached}`} order by id limit ${limit}`),
    );

export const oldEmails = oldRecords('emails', { is_finished: sql`status <> 'queued'`, key: sql`raw_key` });
export const oldTexts = oldRecords('sms_messages', {
  is_finished: sql`status <> 'queued'`,
  key: sql`null::text`,
});
export const oldCalls = oldRecords('calls', {
  is_finished: sql`ended_at is not null`,
  key: sql`recording_key`,
});

const among = ({ organization_id, ids }: Records): Sql =>
  sql`organization_id = ${organization_id} and id = any(${[...ids]}::uuid[])`;

/** Call it after the objects were removed. */
export const forgetRecordings = (
  db: Database,
  { organization_id }: Range,
  ids: readonly string[],
): Promise<number> =>
  db.run(sql`
    update calls set recording_key = null, recording_bytes = null
     where organization_id = ${organization_id} and id = any(${[...ids]}::uuid[])`);

/** Returns how many attachments these emails no longer use. The job that deletes expired uploads removes those that no other email has. */
export async function eraseEmails(tx: Transaction, records: Records): Promise<number> {
  const { organization_id, ids, now } = records;
  await tx.run(sql`
    update emails set subject = '', body_text = '', body_html = null, composition = null, raw_key = null, raw_bytes = null,
           arrival = null, content_erased_at = ${now}
     where ${among(records)}`);
  const released = await tx.rows<{ attachment_id: string }>(sql`
    delete from email_attachment_uses where email_id = any(${[...ids]}::uuid[]) returning attachment_id`);
  await tx.run(sql`
    update email_attachments a set expires_at = least(expires_at, ${now})
     where organization_id = ${organization_id} and id = any(${released.map((each) => each.attachment_id)}::uuid[])
       and not exists (select from email_attachment_uses u where u.attachment_id = a.id)
       and not exists (select from consents c where c.organization_id = a.organization_id and c.proof_attachment_id = a.id)`);
  return new Set(released.map((each) => each.attachment_id)).size;
}

export const eraseTexts = (tx: Transaction, records: Records): Promise<number> =>
  tx.run(sql`update sms_messages set body = '', content_erased_at = ${records.now} where ${among(records)}`);

/** Deleting a transcript fires no trigger, so the calls are queued here for search and conversations. */
export async function eraseCalls(tx: Transaction, records: Records): Promise<number> {
  const { organization_id, ids, now } = records;
  const own = sql`organization_id = ${organization_id} and call_id = any(${[...ids]}::uuid[])`;
  const erased = await tx.run(sql`
    update calls set variables = null, result_request = null, result = null, result_error = null, evidence = null,
           summary = null, success_reason = null, handoff_data = null, content_erased_at = ${now},
           plan = (plan::jsonb || '{"system_prompt": "", "first_message": null, "context": null, "variables": {}}')::json
     where ${among(records)}`);
  await tx.run(sql`delete from call_turns where ${own}`);
  await tx.run(sql`delete from call_commands where ${own}`);
  await tx.run(sql`update call_events set detail = '{}' where ${own}`);
  await tx.run(sql`update call_transfers set reason = null, failure = null where ${own}`);
  await tx.run(sql`
    insert into projection_queue (organization_id, noun, id)
    select ${organization_id}, 'call', id from unnest(${[...ids]}::uuid[]) id`);
  return erased;
}

/** What tools were asked and answered, and what conversations show and summarize. */
export async function eraseCopies(tx: Transaction, { organization_id, ids }: Records): Promise<void> {
  const own = sql`organization_id = ${organization_id}`;
  const of = sql`any(${[...ids]}::uuid[])`;
  await tx.run(sql`update tool_calls set arguments = '{}', outcome = null where ${own} and call_id = ${of}`);
  await tx.run(
    sql`update tool_calls set arguments = '{}', outcome = null where ${own} and message_id = ${of}`,
  );
  await tx.run(sql`
    update conversation_results r set result = null, result_error = null, evidence = null, summary = null, success_reason = null
      from conversations c
     where c.organization_id = ${organization_id} and c.last_item_id = ${of} and r.organization_id = c.organization_id
       -- Of this conversation, and of those that were merged into it.
       and (r.conversation_id = c.id or r.conversation_id in (
              select alias_id from conversation_aliases a
               where a.organization_id = c.organization_id and a.conversation_id = c.id))`);
  // The name of a group is the subject of its first email.
  await tx.run(sql`
    update conversations c
       set name = coalesce((
             select coalesce(p.name, p.address) from conversation_participants p
              where p.organization_id = c.organization_id and p.conversation_id = c.id and p.role = 'external'
              order by p.first_item_id limit 1), '')
     where ${own} and kind = 'group' and last_item_id = ${of}`);
  await tx.run(sql`
    update conversations set last_item = (last_item::jsonb || '{"preview": ""}')::json
     where ${own} and last_item_id = ${of} and json_typeof(last_item) = 'object'`);
}
