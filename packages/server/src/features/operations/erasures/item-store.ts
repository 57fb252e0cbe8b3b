// The SQL that finds the records of a person.
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { Erased, ErasureDatabase } from './person/erased.ts';
import { addressesOf, phonesOf } from './person/person.ts';

/** The whole message is the person's: sent by the person, or to no one else. */
const ownEmail = (addresses: readonly string[]): Sql => sql`(
  (direction = 'inbound' and lower(from_address) = any(${[...addresses]}))
  or (direction = 'outbound' and cardinality(to_addresses || cc_addresses || bcc_addresses) > 0 and not exists (
        select from unnest(to_addresses || cc_addresses || bcc_addresses) r where lower(r) <> all(${[...addresses]}))))`;
const ownPhone = (phones: readonly string[]): Sql =>
  sql`("from" = any(${[...phones]}) or "to" = any(${[...phones]}))`;

const records = ({ person }: Pick<Erased, 'person'>): { noun: string; table: string; own: Sql }[] => [
  { noun: 'email', table: 'emails', own: ownEmail(addressesOf(person)) },
  { noun: 'sms', table: 'sms_messages', own: ownPhone(phonesOf(person)) },
  { noun: 'call', table: 'calls', own: ownPhone(phonesOf(person)) },
];

/** Notes the records of the person, also the other legs of their calls. */
export async function collectItems(tx: Transaction, erased: Erased): Promise<void> {
  const { organization_id, id } = erased;
  for (const { noun, table, own } of records(erased))
    await tx.run(
      sql.replanned(sql`
        insert into erasure_items (organization_id, erasure_id, id, noun)
        select organization_id, ${id}::uuid, id, ${noun} from ${sql.raw(table)}
         where organization_id = ${organization_id} and ${own} on conflict do nothing`),
    );
  await tx.run(sql`
    insert into erasure_items (organization_id, erasure_id, id, noun)
    select c.organization_id, i.erasure_id, c.id, 'call' from erasure_items i
      join calls c on c.parent_call_id = i.id
     where i.organization_id = ${organization_id} and i.erasure_id = ${id} and c.organization_id = i.organization_id
        on conflict do nothing`);
}

/** Names that the person writes mail under. */
export async function displayNamesOf(
  on: Queryable,
  { organization_id, person }: Pick<Erased, 'organization_id' | 'person'>,
): Promise<string[]> {
  const rows = await on.rows<{ name: string }>(sql`
    select distinct from_name as name from emails
     where organization_id = ${organization_id} and direction = 'inbound' and from_name is not null
       and lower(from_address) = any(${addressesOf(person)}) order by 1 limit 100`);
  return rows.map(({ name }) => name);
}

/** Records with the person that still wait to be sent, by noun; group mails too. */
export function waitingRecords(db: ErasureDatabase, { organization_id, person }: Erased) {
  const [addresses, phones] = [addressesOf(person), phonesOf(person)];
  return db.rows<{ noun: 'email' | 'sms' | 'call'; id: string }>(sql`
    select 'email' as noun, id from emails
     where organization_id = ${organization_id} and hold is not null and direction = 'outbound'
       and exists (select from unnest(to_addresses || cc_addresses || bcc_addresses) r where lower(r) = any(${addresses}))
    union all
    select 'sms', id from sms_messages
     where organization_id = ${organization_id} and hold is not null and status = 'queued' and "to" = any(${phones})
    union all
    select 'call', id from calls where organization_id = ${organization_id} and hold is not null and "to" = any(${phones})`);
}

/** Whether a call, text or email with the person is under way: what it still writes would not be erased. */
export async function hasActive(db: ErasureDatabase, { organization_id, person }: Erased): Promise<boolean> {
  const [addresses, phones] = [addressesOf(person), phonesOf(person)];
  const row = await db.maybe<{ is_active: boolean }>(sql`
    select exists (select from calls where organization_id = ${organization_id}
                      and status in ('queued', 'dialing', 'ringing', 'in_progress') and ${ownPhone(phones)})
        or exists (select from sms_messages where organization_id = ${organization_id} and status = 'queued'
                      and "to" = any(${phones}))
        or exists (select from emails where organization_id = ${organization_id} and status = 'queued'
                      and exists (select from unnest(to_addresses || cc_addresses || bcc_addresses) r
                                   where lower(r) = any(${addresses}))) as is_active`);
  return row!.is_active;
}
