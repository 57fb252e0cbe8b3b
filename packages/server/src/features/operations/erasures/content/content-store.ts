// The SQL that removes the content of a person's own messages and calls. Addresses are replaced by the last step, everywhere.
import type { Queryable, Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { Erased, ErasureDatabase } from '../person/erased.ts';
import type { Counts } from '../store.ts';

export type Item = { id: string; noun: string };

export const itemsAfter = (
  on: Queryable,
  { organization_id, id }: Erased,
  reached: string | null,
  limit: number,
) =>
  on.rows<Item>(sql`
    select id, noun from erasure_items
     where organization_id = ${organization_id} and erasure_id = ${id}
       ${reached === null ? sql.empty : sql`and id > ${reached}::uuid`} order by id limit ${limit}`);

export type StoredObjects = {
  recordings: { id: string; key: string }[];
  attachments: { id: string; key: string }[];
};

/** The recordings of these calls, and the files of these emails that no other email or consent has. */
export async function objectsOf(
  db: ErasureDatabase,
  { organization_id, id: erasure_id }: Erased,
  ids: readonly string[],
): Promise<StoredObjects> {
  const recordings = await db.rows<{ id: string; key: string }>(sql`
    select id, recording_key as key from calls
     where organization_id = ${organization_id} and id = any(${[...ids]}::uuid[]) and recording_key is not null`);
  const attachments = await db.rows<{ id: string; key: string }>(sql`
    select distinct a.id, a.storage_key as key from email_attachment_uses u join email_attachments a on a.id = u.attachment_id
     where a.organization_id = ${organization_id} and u.email_id = any(${[...ids]}::uuid[])
       and not exists (select from email_attachment_uses o where o.attachment_id = a.id and not exists (
             select from erasure_items i where i.organization_id = ${organization_id} and i.erasure_id = ${erasure_id}
                and i.id = o.email_id))
       and not exists (select from consents c where c.organization_id = ${organization_id} and c.proof_attachment_id = a.id)`);
  return { recordings, attachments };
}

/** After the objects were deleted. */
export async function forgetObjects(
  tx: Transaction,
  { organization_id }: Erased,
  { recordings, attachments }: StoredObjects,
): Promise<void> {
  await tx.run(sql`
    update calls set recording_key = null, recording_bytes = null
     where organization_id = ${organization_id} and id = any(${recordings.map(({ id }) => id)}::uuid[])`);
  const ids = attachments.map(({ id }) => id);
  await tx.run(sql`
    delete from email_attachment_uses u using email_attachments a
     where a.id = u.attachment_id and a.organization_id = ${organization_id} and a.id = any(${ids}::uuid[])`);
  await tx.run(sql`
    delete from email_attachments where organization_id = ${organization_id} and id = any(${ids}::uuid[])`);
}

/** The files that prove a consent of the person. */
export const consentProofs = (db: ErasureDatabase, { organization_id }: Erased, keys: readonly string[]) =>
  db.rows<{ id: string; key: string }>(sql`
    select a.id, a.storage_key as key from consents c join email_attachments a on a.id = c.proof_attachment_id
     where c.organization_id = ${organization_id} and a.organization_id = c.organization_id
       and c.recipient_key = any(${[...keys]})
       and not exists (select from email_attachment_uses u where u.attachment_id = a.id)`);

/**
 * Raw messages that name the person, a page by id: also messages of other people, whose headers name all recipients. What
 * was parsed from them stays.
 */
export async function rawMessages(
  db: ErasureDatabase,
  erased: Erased,
  reached: string | null,
  limit: number,
): Promise<{ id: string; key: string | null }[]> {
  const rows = await db.rows<{ id: string; raw_key: string; own: boolean; row: string | null }>(
    sql.replanned(sql`
      select id, raw_key, own, case when not own and page.row ~* ${erased.pattern} then page.row end as row
        from (select e.id, e.raw_key, row_to_json(e)::text as row, exists (
                       select from erasure_items i where i.organization_id = e.organization_id
                          and i.erasure_id = ${erased.id} and i.id = e.id) as own
                from emails e where e.organization_id = ${erased.organization_id} and e.raw_key is not null
                 ${reached === null ? sql.empty : sql`and e.id > ${reached}::uuid`} order by e.id limit ${limit}) page
       order by id`),
  );
  return rows.map(({ id, raw_key, own, row }) => {
    const has_person = own || (row !== null && erased.replace(row) !== row);
    return { id, key: has_person ? raw_key : null };
  });
}

export const forgetRawMessages = (db: ErasureDatabase, { organization_id }: Erased, ids: readonly string[]) =>
  db.run(sql`
    update emails set raw_key = null, raw_bytes = null
     where organization_id = ${organization_id} and id = any(${[...ids]}::uuid[])`);

/** Removes what was written and said in these records. Status, times and costs stay. */
export async function eraseContent(
  tx: Transaction,
  erased: Erased,
  items: readonly Item[],
  now: Date,
): Promise<Counts> {
  const { organization_id, text } = erased;
  const ids = items.map(({ id }) => id);
  const own = sql`organization_id = ${organization_id} and id = any(${ids}::uuid[])`;
  const of = (column: string): Sql =>
    sql`organization_id = ${organization_id} and ${sql.raw(column)} = any(${ids}::uuid[])`;
  const emails = await tx.run(sql`
    update emails set subject = '', body_text = '', body_html = null, composition = null, metadata = '{}',
           from_name = case when direction = 'inbound' then ${text} else from_name end, reply_to = null, message_id = null,
           in_reply_to = null, references_ids = '{}', arrival = null, thread_key = id::text,
           content_erased_at = coalesce(content_erased_at, ${now})
     where ${own}`);
  const sms = await tx.run(
    sql`update sms_messages set body = '', metadata = '{}', content_erased_at = coalesce(content_erased_at, ${now}) where ${own}`,
  );
  const calls = await tx.run(sql`
    update calls set content_erased_at = coalesce(content_erased_at, ${now}), metadata = '{}', variables = null, transfer = null, result_request = null, result = null,
           result_error = null, evidence = null, summary = null, success_reason = null, handoff_data = null,
           plan = (plan::jsonb || '{"system_prompt": "", "first_message": null, "context": null, "variables": {}}')::json
     where ${own}`);
  await tx.run(sql`delete from call_turns where ${of('call_id')}`);
  await tx.run(sql`delete from call_commands where ${of('call_id')}`);
  await tx.run(sql`update call_events set detail = '{}' where ${of('call_id')}`);
  await tx.run(sql`update call_transfers set reason = null, failure = null where ${of('call_id')}`);
  await releaseFiles(tx, erased, ids, now);
  await tx.run(sql`update email_events set detail = '{}' where ${of('email_id')}`);
  return counted({ emails, sms, calls });
}

/**
 * Files that other emails use stay there, but not with these. Those that nothing uses any more are deleted by the job of expired
 * uploads, also reports about the emails that could not be read.
 */
async function releaseFiles(
  tx: Transaction,
  { organization_id }: Erased,
  email_ids: readonly string[],
  now: Date,
): Promise<void> {
  const ids = sql`any(${[...email_ids]}::uuid[])`;
  const released = await tx.rows<{ id: string }>(sql`
    delete from email_attachment_uses u using emails e
     where u.email_id = e.id and e.organization_id = ${organization_id} and e.id = ${ids} returning u.attachment_id as id`);
  const reports = await tx.rows<{ id: string }>(sql`
    select detail ->> 'attachment_id' as id from email_events
     where organization_id = ${organization_id} and email_id = ${ids} and detail ->> 'attachment_id' is not null`);
  await tx.run(sql`
    update email_attachments a set expires_at = least(expires_at, ${now})
     where organization_id = ${organization_id} and id = any(${[...released, ...reports].map(({ id }) => id)}::uuid[])
       and not exists (select from email_attachment_uses u where u.attachment_id = a.id)
       and not exists (select from consents c where c.organization_id = a.organization_id and c.proof_attachment_id = a.id)`);
}

export const counted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
