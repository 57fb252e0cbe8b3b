// The SQL of the quarantine.
import type { Database, Queryable, Transaction } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { type EmailRow, email_columns } from '../../store.ts';
import type { Arrival, Quarantine } from '../store.ts';

export type QuarantinedEmail = EmailRow & { arrival: Arrival | null; quarantine: Quarantine | null };

/** It never changes. Null for an email that was not received or does not exist. */
export async function arrivalOf(on: Queryable, organization_id: string, id: string): Promise<Arrival | null> {
  const row = await on.maybe<{ arrival: Arrival | null }>(
    sql`select arrival from emails where organization_id = ${organization_id} and id = ${id}`,
  );
  return row?.arrival ?? null;
}

export const lockReceived = (tx: Transaction, organization_id: string, id: string) =>
  tx.maybe<QuarantinedEmail>(sql`
    select ${email_columns}, arrival, quarantine from emails
     where organization_id = ${organization_id} and id = ${id} for update`);

/** Null: out of the quarantine. `released_at` is then the time from which on waits find it. */
export const setQuarantine = (
  tx: Transaction,
  { organization_id, id }: { organization_id: string; id: string },
  { quarantine, released_at }: { quarantine: Quarantine | null; released_at: Date | null },
) =>
  tx.run(sql`
    update emails set quarantine = ${quarantine && JSON.stringify(quarantine)}::json, released_at = ${released_at}
     where organization_id = ${organization_id} and id = ${id}`);

/** Deletes emails that have been in quarantine since before `before`, with their timelines. Returns how many. */
export const deleteExpired = (db: Database, before: Date, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const expired = await tx.rows<{ id: string }>(sql`
      select id from emails where quarantine is not null and (quarantine ->> 'at')::timestamptz < ${before}
       limit ${limit} for update skip locked`);
    const ids = expired.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.run(sql`delete from email_events where email_id = any(${ids}::uuid[])`);
    await tx.run(sql`delete from emails where id = any(${ids}::uuid[])`);
    return ids.length;
  });
