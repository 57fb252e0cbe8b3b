// The SQL that deletes old rows of an organization: records with what belongs to them, events, deliveries and requests.
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';

type DeleteOld = (db: Database, organization_id: string, before: Date, limit: number) => Promise<number>;

/** The queue of projections gets every deleted record by a trigger; search and conversations follow. */
const deleteRecords =
  (
    table: string,
    is_finished: Sql,
    deleteParts: (tx: Transaction, of: Sql, own: Sql) => Promise<void>,
  ): DeleteOld =>
  (db, organization_id, before, limit) =>
    db.transaction(async (tx) => {
      const found = await tx.rows<{ id: string }>(
        sql.replanned(sql`
          select id from ${sql.raw(table)}
           where organization_id = ${organization_id} and id < ${firstIdAt(before)} and ${is_finished}
           order by id limit ${limit} for update skip locked`),
      );
      if (found.length === 0) return 0;
      const of = sql`any(${found.map(({ id }) => id)}::uuid[])`;
      const own = sql`organization_id = ${organization_id}`;
      await deleteParts(tx, of, own);
      // A receipt stays valid without the person behind its hashes.
      await tx.run(sql`
        update receipts set disclosures = null where ${own} and object_id = ${of} and disclosures is not null`);
      return tx.run(sql`delete from ${sql.raw(table)} where ${own} and id = ${of}`);
    });

/** One whose raw message is still stored waits for the next run. */
export const deleteEmails = deleteRecords(
  'emails',
  sql`status <> 'queued' and raw_key is null`,
  async (tx, of, own) => {
    await tx.run(sql`delete from email_events where ${own} and email_id = ${of}`);
    await deleteAgentWork(tx, of, own);
  },
);

export const deleteTexts = deleteRecords('sms_messages', sql`status <> 'queued'`, deleteAgentWork);

export const deleteCalls = deleteRecords(
  'calls',
  sql`ended_at is not null and recording_key is null`,
  async (tx, of, own) => {
    for (const table of ['call_turns', 'call_events', 'call_commands', 'call_transfers', 'tool_calls'])
      await tx.run(sql`delete from ${sql.raw(table)} where ${own} and call_id = ${of}`);
  },
);

/**
 * Conversations whose records were all deleted, with the people and results in them. The id of the last record stays when the
 * projector has removed it.
 */
export const deleteConversations: DeleteOld = (db, organization_id, before, limit) =>
  db.transaction(async (tx) => {
    const own = sql`organization_id = ${organization_id}`;
    const found = await tx.rows<{ id: string }>(
      sql.replanned(sql`
        select id from conversations c
         where ${own} and last_item_id < ${firstIdAt(before)} and item_count = 0
           and not exists (select from conversation_items i where i.organization_id = c.organization_id and (
                 i.conversation_id = c.id or i.conversation_id in (
                   select alias_id from conversation_aliases a
                    where a.organization_id = c.organization_id and a.conversation_id = c.id)))
         order by last_item_id limit ${limit} for update skip locked`),
    );
    if (found.length === 0) return 0;
    const ids = sql`any(${found.map(({ id }) => id)}::uuid[])`;
    await tx.run(sql`
      delete from conversation_results where ${own} and (conversation_id = ${ids} or conversation_id in (
        select alias_id from conversation_aliases where ${own} and conversation_id = ${ids}))`);
    for (const table of ['conversation_participants', 'conversation_tokens', 'conversation_aliases'])
      await tx.run(sql`delete from ${sql.raw(table)} where ${own} and conversation_id = ${ids}`);
    return tx.run(sql`delete from conversations where ${own} and id = ${ids}`);
  });

async function deleteAgentWork(tx: Transaction, of: Sql, own: Sql): Promise<void> {
  await tx.run(sql`delete from tool_calls where ${own} and message_id = ${of}`);
  await tx.run(sql`delete from agent_replies where ${own} and message_id = ${of}`);
}

export const deleteEvents: DeleteOld = (db, organization_id, before, limit) =>
  deleteByKey(db, 'events', organization_id, before, limit);
export const deleteRequests: DeleteOld = (db, organization_id, before, limit) =>
  deleteByKey(db, 'request_log', organization_id, before, limit);

const deleteByKey = (db: Database, table: string, organization_id: string, before: Date, limit: number) =>
  db.run(
    sql.replanned(sql`
      delete from ${sql.raw(table)} where organization_id = ${organization_id} and id in (
        select id from ${sql.raw(table)}
         where organization_id = ${organization_id} and id < ${firstIdAt(before)} order by id limit ${limit})`),
  );

/** The id of a delivery starts with the time of its event. */
export const deleteDeliveries: DeleteOld = (db, organization_id, before, limit) =>
  db.run(
    sql.replanned(sql`
      delete from webhook_deliveries d using (
        select old.subscription_id, old.id from webhook_subscriptions s, lateral (
          select subscription_id, id from webhook_deliveries
           where subscription_id = s.id and id < ${firstIdAt(before)} order by id limit ${limit}) old
         where s.organization_id = ${organization_id} limit ${limit}) old
       where d.subscription_id = old.subscription_id and d.id = old.id`),
  );

/** Those that came into quarantine before the time. */
export const oldQuarantined = (db: Database, organization_id: string, before: Date, limit: number) =>
  db.rows<{ id: string; key: string | null }>(sql`
    select id, raw_key as key from emails
     where organization_id = ${organization_id} and quarantine is not null
       and (quarantine ->> 'at')::timestamptz < ${before} limit ${limit}`);

/** One that was released in between stays, without its raw form. */
export const deleteQuarantined = (db: Database, organization_id: string, ids: readonly string[]) =>
  db.transaction(async (tx) => {
    const of = sql`organization_id = ${organization_id} and id = any(${[...ids]}::uuid[])`;
    await tx.run(sql`update emails set raw_key = null, raw_bytes = null where ${of} and quarantine is null`);
    await tx.run(sql`
      delete from email_events where organization_id = ${organization_id} and email_id in (
        select id from emails where ${of} and quarantine is not null)`);
    return tx.run(sql`delete from emails where ${of} and quarantine is not null`);
  });
