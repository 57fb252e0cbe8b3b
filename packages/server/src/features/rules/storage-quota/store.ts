// The SQL of the storage quota: how many bytes an organization has stored, and how many it may store. Triggers count them; see
// migration 0146.
import type { StorageKind } from '@parley/contract/rules/spending/storage';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type StoredBytes = { kind: StorageKind; bytes: number };

/** `max_bytes`: what was set for the organization, or null. */
type Usage = { bytes: number; max_bytes: number | null };

async function usage(on: Queryable, organization_id: string): Promise<Usage> {
  const row = await on.maybe<Usage>(sql`
    select (select coalesce(sum(bytes), 0)::bigint from storage_usage where organization_id = ${organization_id}) as bytes,
           (select storage_bytes_max from organizations where id = ${organization_id}) as max_bytes`);
  return row!;
}

export function storageQuotaStore(db: Database) {
  return {
    usage: (organization_id: string) => usage(db, organization_id),

    /** No other transaction gets the usage this way until this one ends. */
    async lockedUsage(tx: Transaction, organization_id: string): Promise<Usage> {
      await tx.rows(
        sql`select pg_advisory_xact_lock(hashtextextended(${`storage quota ${organization_id}`}, 0))`,
      );
      return usage(tx, organization_id);
    },

    byKind: (organization_id: string) =>
      db.rows<StoredBytes>(sql`
        select kind, sum(bytes)::bigint as bytes from storage_usage where organization_id = ${organization_id} group by kind`),

    async isCounted(): Promise<boolean> {
      return (await db.maybe(sql`select from storage_count limit 1`)) !== null;
    },

    count: () => db.transaction(count, { is_long: true }),

    /**
     * Adds the rows of connections up, so that an organization does not get a row for every connection there ever was. Rows in
     * use are left out, so it never waits for another transaction. Returns how many rows it added up.
     */
    async fold(limit: number): Promise<number> {
      const row = await db.maybe<{ folded: number }>(
        sql.replanned(sql`
          with taken as (
            select ctid from storage_usage where slot >= 0 limit ${limit} for update skip locked
          ), gone as (
            delete from storage_usage where ctid in (select ctid from taken) returning organization_id, kind, bytes
          ), added as (
            insert into storage_usage (organization_id, kind, slot, bytes)
            select organization_id, kind, -1, sum(bytes) from gone group by organization_id, kind
            on conflict (organization_id, kind, slot) do update set bytes = storage_usage.bytes + excluded.bytes
          )
          select count(*)::int as folded from gone`),
      );
      return row!.folded;
    },
  };
}
export type StorageQuotaStore = ReturnType<typeof storageQuotaStore>;

/**
 * Counts what was stored before the triggers existed. One statement sees one moment, in which the records and what the triggers
 * counted belong together: the difference is what they missed, although both change meanwhile.
 */
async function count(tx: Queryable): Promise<void> {
  await tx.run(sql`
    insert into storage_usage (organization_id, kind, slot, bytes)
    select organization_id, kind, -1, sum(bytes) from (
      select organization_id, 'raw_messages' as kind, raw_bytes as bytes from emails where raw_bytes is not null
      union all select organization_id, 'recordings', recording_bytes from calls where recording_bytes is not null
      union all select organization_id, 'attachments', size_bytes from email_attachments
      union all select organization_id, 'documents', size_bytes from verification_documents where storage_key is not null
      union all select organization_id, kind, -bytes from storage_usage) stored
     group by organization_id, kind having sum(bytes) <> 0
    on conflict (organization_id, kind, slot) do update set bytes = storage_usage.bytes + excluded.bytes`);
  await tx.run(sql`insert into storage_count (counted_at) values (now())`);
}
