// The SQL of requests that open a way out for data and wait for a person.
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type ExitRequest = {
  organization_id: string;
  id: string;
  approval_id: string;
  payload_sha256: string;
};

export const exitStore = (db: Database) => ({
  insert: (tx: Transaction, organization_id: string, request: ExitRequest, now: Date) =>
    tx.run(sql`
      insert into exit_requests (organization_id, id, approval_id, payload_sha256, created_at)
      values (${organization_id}, ${request.id}, ${request.approval_id}, ${request.payload_sha256}, ${now})`),

  /** Uses an approval for exactly this content, given since then; null when there is none. */
  use: (organization_id: string, payload_sha256: string, { now, since }: { now: Date; since: Date }) =>
    db.maybe<{ id: string }>(sql`
      update exit_requests set used_at = ${now}
       where organization_id = ${organization_id} and used_at is null and id = (
         select id from exit_requests
          where organization_id = ${organization_id} and payload_sha256 = ${payload_sha256} and used_at is null
            and approved_at > ${since} order by id limit 1 for update skip locked)
      returning id`),

  /** The request failed: the approval stays valid for the next one. */
  giveBack: (organization_id: string, id: string) =>
    db.run(sql`
      update exit_requests set used_at = null where organization_id = ${organization_id} and id = ${id}`),

  /** Waits for a person already. */
  findPending: (organization_id: string, payload_sha256: string) =>
    db.maybe<{ approval_id: string }>(sql`
      select r.approval_id from exit_requests r
        join approvals a on a.organization_id = r.organization_id and a.id = r.approval_id
       where r.organization_id = ${organization_id} and r.payload_sha256 = ${payload_sha256}
         and r.approved_at is null and a.status = 'pending' order by r.id limit 1`),

  async release(
    tx: Transaction,
    { organization_id, id }: { organization_id: string; id: string },
    { approval_id, now }: { approval_id: string; now: Date },
  ): Promise<boolean> {
    const changed = await tx.run(sql`
      update exit_requests set approved_at = ${now}
       where organization_id = ${organization_id} and id = ${id} and approval_id = ${approval_id}
         and approved_at is null`);
    return changed > 0;
  },

  delete: async (tx: Transaction, { organization_id, id }: { organization_id: string; id: string }) =>
    (await tx.run(sql`
      delete from exit_requests where organization_id = ${organization_id} and id = ${id}`)) > 0,

  /** As the approval shows it: the content is stored once. */
  payload: ({ organization_id, id }: { organization_id: string; id: string }) =>
    db.maybe<{ shown: unknown }>(sql`
      select a.shown from exit_requests r
        join approvals a on a.organization_id = r.organization_id and a.id = r.approval_id
       where r.organization_id = ${organization_id} and r.id = ${id}`),

  /** Of all organizations. */
  deleteBefore: (time: Date) => db.run(sql`delete from exit_requests where created_at < ${time}`),
});
export type ExitStore = ReturnType<typeof exitStore>;
