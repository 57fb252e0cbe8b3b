// The SQL of system mail: waiting mails, their attempts and outcomes.
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type WaitingMail = {
  id: string;
  organization_id: string | null;
  kind: string;
  message_sealed: string;
  attempts: number;
  created_at: Date;
};

export function systemMailStore(db: Database) {
  return {
    /** False if a mail of this kind with the same reference exists. */
    async insert(
      on: Queryable,
      organization_id: string | null,
      mail: { id: string; kind: string; reference: string; message_sealed: string; created_at: Date },
    ): Promise<boolean> {
      return (
        (await on.run(sql`
          insert into system_mails (id, organization_id, kind, reference, message_sealed, created_at)
          values (${mail.id}, ${organization_id}, ${mail.kind}, ${mail.reference}, ${mail.message_sealed}, ${mail.created_at})
          on conflict (kind, reference) do nothing`)) === 1
      );
    },

    waiting: (id: string) =>
      db.maybe<WaitingMail>(sql`
        select id, organization_id, kind, message_sealed, attempts, created_at from system_mails
         where id = ${id} and sent_at is null and failed_at is null`),

    /** Counts the attempt before it starts; false if the mail was closed meanwhile. */
    async beginAttempt(id: string): Promise<boolean> {
      return (
        (await db.run(sql`
          update system_mails set attempts = attempts + 1
           where id = ${id} and sent_at is null and failed_at is null`)) === 1
      );
    },

    async sent(on: Queryable, id: string, now: Date): Promise<void> {
      await on.run(sql`
        update system_mails set sent_at = ${now}, message_sealed = null
         where id = ${id} and sent_at is null and failed_at is null`);
    },

    async failed(on: Queryable, id: string, now: Date, failure: string): Promise<void> {
      await on.run(sql`
        update system_mails set failed_at = ${now}, failure = ${failure}, message_sealed = null
         where id = ${id} and sent_at is null and failed_at is null`);
    },

    has: async (ids: readonly string[]): Promise<boolean> =>
      (await db.maybe(sql`select 1 from system_mails where id = any(${[...ids]}::uuid[]) limit 1`)) !== null,

    deleteBefore: (moment: Date) => db.run(sql`delete from system_mails where created_at < ${moment}`),
  };
}
export type SystemMailStore = ReturnType<typeof systemMailStore>;
