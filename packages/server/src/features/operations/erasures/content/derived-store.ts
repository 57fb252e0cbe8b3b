// The SQL that removes what other features derived from the records of a person.
import type { Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { Erased } from '../person/erased.ts';
import { keysOf } from '../person/person.ts';
import type { Counts } from '../store.ts';
import { counted } from './content-store.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const items = ({ organization_id, id }: Erased): Sql => sql`(
  select id from erasure_items where organization_id = ${organization_id} and erasure_id = ${id})`;

/** Whether a text has the id of one of the records. */
const names = (erased: Erased, column: Sql): Sql => sql`exists (
  select from regexp_matches(${column}, ${uuid}, 'g') found
    join erasure_items i on i.id = found[1]::uuid
   where i.organization_id = ${erased.organization_id} and i.erasure_id = ${erased.id})`;

/** The conversations with these records, also by the ids that they had before a merge. */
const conversations = (erased: Erased): Sql => {
  const own = sql`organization_id = ${erased.organization_id}`;
  return sql`(
    with found as (
      select distinct conversation_id as id from conversation_items i where ${own} and i.id in ${items(erased)}
    ), current as (
      select id from found union select conversation_id from conversation_aliases where ${own} and alias_id in (select id from found)
    )
    select id from current union select alias_id from conversation_aliases where ${own} and conversation_id in (select id from current))`;
};

/**
 * Deletes the events about the records, their conversations and the contact among the next events by id. `reached` is the last one that was
 * compared, null at the end.
 */
export async function eraseEvents(
  tx: Transaction,
  erased: Erased,
  reached: string | null,
  limit: number,
): Promise<{ reached: string | null; events: number }> {
  const { organization_id, contact_id } = erased;
  const last = await tx.maybe<{ id: string; count: number }>(
    sql.replanned(sql`
      select max(id::text) as id, count(*)::int as count from (
        select id from events where organization_id = ${organization_id}
          ${reached === null ? sql.empty : sql`and id > ${reached}::uuid`} order by id limit ${limit}) page`),
  );
  if (!last || last.count === 0) return { reached: null, events: 0 };
  const events = await tx.run(
    sql.replanned(sql`
      delete from events e where organization_id = ${organization_id} and id <= ${last.id}::uuid
         ${reached === null ? sql.empty : sql`and id > ${reached}::uuid`}
         and (resource_id = ${contact_id}::uuid or resource_id in ${items(erased)} or resource_id in ${conversations(erased)}
              or ${names(erased, sql`e.payload`)})`),
  );
  return { reached: last.count < limit ? null : last.id, events };
}

/** Of events that were deleted. A test delivery has no event. */
export const eraseDeliveries = (tx: Transaction, { organization_id }: Erased): Promise<number> =>
  tx.run(
    sql.replanned(sql`
      delete from webhook_deliveries d using webhook_subscriptions s
       where s.organization_id = ${organization_id} and d.subscription_id = s.id and d.test_payload is null
         and not exists (select from events e where e.organization_id = ${organization_id} and e.id = d.event_id)`),
  );

/** Conversations, search, tool calls, approvals, answers of idempotent requests, and what limits remember. */
export async function eraseDerived(tx: Transaction, erased: Erased): Promise<Counts> {
  const { organization_id, contact_id } = erased;
  const own = sql`organization_id = ${organization_id}`;
  const keys = keysOf(erased.person);
  const search_documents = await tx.run(sql`
    delete from search_documents where ${own} and (id = ${contact_id}::uuid or id in ${items(erased)})`);
  const conversation_count = await eraseConversations(tx, erased);
  const tool_calls = await tx.run(sql`
    update tool_calls set arguments = '{}', outcome = null
     where ${own} and (call_id in ${items(erased)} or message_id in ${items(erased)})`);
  // An answer that waits for the approval of a tool call is not continued without its row.
  await tx.run(sql`delete from suspended_replies where ${own} and message_id in ${items(erased)}`);
  const approvals = await eraseApprovals(tx, erased);
  await tx.run(sql`
    delete from agent_replies
     where ${own} and (person = any(${keys}) or message_id in ${items(erased)} or reply_id in ${items(erased)})`);
  await tx.run(
    sql`delete from idempotency_keys k where ${own} and body is not null and ${names(erased, sql`k.body`)}`,
  );
  await tx.run(sql`delete from sandbox_outbox where ${own} and resource_id in ${items(erased)}`);
  await tx.run(sql`delete from suspected_revocations where ${own} and recipient_key = any(${keys})`);
  for (const table of ['person_uses', 'known_parties', 'approved_recipients'])
    await tx.run(sql`delete from ${sql.raw(table)} where ${own} and party = any(${keys})`);
  return counted({ search_documents, conversations: conversation_count, tool_calls, approvals });
}

/** A conversation of several people keeps its title. */
async function eraseConversations(tx: Transaction, erased: Erased): Promise<number> {
  const { organization_id } = erased;
  const own = sql`organization_id = ${organization_id}`;
  await tx.run(sql`
    update conversation_results set result = null, result_error = null, evidence = null, summary = null, success_reason = null
     where ${own} and conversation_id in ${conversations(erased)}`);
  const erased_conversations = await tx.run(sql`
    update conversations set name = ${erased.text}, title = null, contact_id = null, metadata = '{}'
     where ${own} and kind = 'person' and id in ${conversations(erased)}`);
  await tx.run(sql`
    update conversation_participants set name = null
     where ${own} and name is not null and party = any(${keysOf(erased.person)})`);
  await tx.run(sql`
    update conversations set last_item = (last_item::jsonb || '{"preview": ""}')::json
     where ${own} and json_typeof(last_item) = 'object' and last_item_id in ${items(erased)}`);
  return erased_conversations;
}

const withoutContent = (shown: Sql): Sql => sql`json_build_object(
  'from', ${shown} -> 'from', 'to', ${shown} -> 'to', 'cc', ${shown} -> 'cc', 'bcc', ${shown} -> 'bcc',
  'subject', null, 'body_text', null, 'body_html', null, 'attachments', '[]'::json, 'more', '{}'::json,
  'scheduled_at', ${shown} -> 'scheduled_at')`;

const eraseApprovals = (tx: Transaction, erased: Erased): Promise<number> =>
  tx.run(sql`
    update approvals a set shown = ${withoutContent(sql`shown`)}, content_erased_at = coalesce(content_erased_at, decided_at, requested_at),
           note = null,
           messages = (select coalesce(json_agg(${withoutContent(sql`m`)}), '[]') from json_array_elements(a.messages) m)
     where a.organization_id = ${erased.organization_id}
       and (a.object_id in ${items(erased)} or ${names(erased, sql`a.terms::text`)})`);

/** The receipts stay valid: their signed part has only salted hashes, and the salts are deleted. */
export async function unlinkReceipts(tx: Transaction, erased: Erased): Promise<number> {
  const { organization_id, pattern } = erased;
  const receipts = await tx.rows<{ id: string; disclosures: string }>(
    sql.replanned(sql`
      select id, disclosures::text as disclosures from receipts
       where organization_id = ${organization_id} and disclosures::text ~* ${pattern}`),
  );
  const ids = receipts.filter(({ disclosures }) => erased.replace(disclosures) !== disclosures);
  return tx.run(
    sql.replanned(sql`
      update receipts set disclosures = null
       where organization_id = ${organization_id} and disclosures is not null
         and (object_id in ${items(erased)} or id = any(${ids.map(({ id }) => id)}::uuid[]))`),
  );
}

export const deleteContacts = (
  tx: Transaction,
  { organization_id, contact_id, person }: Erased,
): Promise<number> =>
  tx.run(sql`
    delete from contacts where organization_id = ${organization_id} and kind = 'contact'
       and (id = ${contact_id}::uuid or phone_e164 = any(${keysOf(person)}) or email_key = any(${keysOf(person)}))`);

/** Search and conversations are written again from the records as they are now. */
export const queueItems = (tx: Transaction, erased: Erased): Promise<number> =>
  tx.run(sql`
    insert into projection_queue (organization_id, noun, id)
    select organization_id, noun, id from erasure_items
     where organization_id = ${erased.organization_id} and erasure_id = ${erased.id}`);
