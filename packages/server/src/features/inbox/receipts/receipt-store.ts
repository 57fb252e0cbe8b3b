// The SQL of receipts, their chains, and the records that are looked at again.
import type { Receipt, ReceiptNoun } from '@parley/contract/inbox/receipts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

export type DueRecord = { organization_id: string; noun: ReceiptNoun; id: string; looks: number };
export type Chain = { seq: number; last_sha256: string | null };
export type NewReceipt = Omit<Receipt, 'created_at'> & { kid: string; now: Date };

const columns = sql`id, organization_id, seq::int as seq, noun, object_id, jws, disclosures, iso(created_at) as created_at`;
const receipt_cursors = cursors('receipts');

/** A record that has a receipt needs no other one. */
export async function insertDue(
  tx: Transaction,
  records: readonly { organization_id: string; noun: ReceiptNoun; id: string }[],
  now: Date,
): Promise<void> {
  await tx.run(sql`
    insert into receipts_due (organization_id, noun, id, look_at)
    select r.organization_id, r.noun, r.id, ${now}
      from json_populate_recordset(null::receipts_due, ${JSON.stringify(records)}) r
     where not exists (select from receipts e
                        where e.organization_id = r.organization_id and e.object_id = r.id)
        on conflict do nothing`);
}

export const takeDue = (tx: Transaction, now: Date, limit: number) =>
  tx.rows<DueRecord>(sql`
    select organization_id, noun, id, looks from receipts_due
     where look_at <= ${now} order by look_at limit ${limit} for update skip locked`);

export async function deleteDue(tx: Transaction, due: readonly DueRecord[]): Promise<void> {
  if (due.length === 0) return;
  await tx.run(sql`
    delete from receipts_due d using json_populate_recordset(null::receipts_due, ${JSON.stringify(due)}) r
     where d.organization_id = r.organization_id and d.id = r.id`);
}

export async function lookLater(
  tx: Transaction,
  due: readonly (DueRecord & { look_at: string })[],
): Promise<void> {
  if (due.length === 0) return;
  await tx.run(sql`
    update receipts_due d set look_at = r.look_at, looks = r.looks
      from json_populate_recordset(null::receipts_due, ${JSON.stringify(due)}) r
     where d.organization_id = r.organization_id and d.id = r.id`);
}

/** Locks the chain until the transaction ends: the next receipt must name the one before it. */
export async function lockChain(tx: Transaction, organization_id: string): Promise<Chain> {
  await tx.run(sql`
    insert into receipt_chains (organization_id, seq) values (${organization_id}, 0) on conflict do nothing`);
  const chain = await tx.maybe<Chain>(sql`
    select seq::int as seq, last_sha256 from receipt_chains where organization_id = ${organization_id} for update`);
  return chain!;
}

export const moveChain = (tx: Transaction, organization_id: string, { seq, last_sha256 }: Chain) =>
  tx.run(sql`
    update receipt_chains set seq = ${seq}, last_sha256 = ${last_sha256} where organization_id = ${organization_id}`);

/** Which of these records have a receipt. Read under the lock of the chain. */
export async function recordsWithReceipt(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  // One look-up in the index per record: of a list, the planner may read all receipts of the organization.
  const rows = await tx.rows<{ object_id: string }>(sql`
    select r.object_id from unnest(${ids}::uuid[]) as record (id), lateral (
      select object_id from receipts where organization_id = ${organization_id} and object_id = record.id limit 1) r`);
  return new Set(rows.map(({ object_id }) => object_id));
}

export async function insertReceipts(tx: Transaction, created: readonly NewReceipt[]): Promise<void> {
  if (created.length === 0) return;
  const rows = created.map(({ now, ...receipt }) => ({ ...receipt, created_at: now.toISOString() }));
  await tx.run(sql`
    insert into receipts select r.* from json_populate_recordset(null::receipts, ${JSON.stringify(rows)}) r`);
}

export const findReceipt = (db: Database, organization_id: string, id: string) =>
  db.maybe<Receipt>(sql`
    select ${columns} from receipts where organization_id = ${organization_id} and id = ${id}`);

export const listReceipts = (
  db: Database,
  organization_id: string,
  { object_id, ...page }: PageRequest & { object_id?: string | undefined },
) =>
  readPage<Receipt>(db, receipt_cursors, page, {
    columns,
    from: sql`receipts`,
    where: sql`organization_id = ${organization_id} ${object_id ? sql`and object_id = ${object_id}` : sql.empty}`,
  });
