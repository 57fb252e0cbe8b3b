// The SQL of the sandbox outbox: simulated messages that have no record of their own, such as forwards and system mail.
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

type OutboxRow = {
  id: string;
  organization_id: string;
  channel: SandboxMessage['channel'];
  resource_id: string;
  handed_at: string;
  sender: string;
  recipients: string[];
  message: object;
};

/** The texts that the sandbox carrier was given. */
export const handedTexts = (db: Database, clock: Clock) => ({
  add: async (id: string): Promise<void> =>
    void (await db.run(sql`
      insert into sandbox_texts (id, handed_at) values (${id}, ${clock.now()}) on conflict do nothing`)),
  has: async (id: string): Promise<boolean> =>
    (await db.maybe(sql`select from sandbox_texts where id = ${id}`)) !== null,
});

export function sandboxOutboxStore(db: Database) {
  return {
    async insert(tx: Transaction, row: OutboxRow): Promise<void> {
      await tx.run(sql`
        insert into sandbox_outbox (id, organization_id, channel, resource_id, handed_at, sender, recipients, message)
        values (${row.id}, ${row.organization_id}, ${row.channel}, ${row.resource_id}, ${row.handed_at}, ${row.sender},
                ${row.recipients}, ${JSON.stringify(row.message)})`);
    },
    /** Mail of the service itself has codes and links for one person. */
    page: (
      organization_id: string,
      before: string | null,
      limit: number,
      { with_service_mail }: { with_service_mail: boolean },
    ) =>
      db.rows<SandboxMessage>(sql`
        select id, channel, resource_id, iso(handed_at) as handed_at, sender as "from", recipients as "to", message,
               null as content_erased_at
          from sandbox_outbox
         where organization_id = ${organization_id} ${before === null ? sql.empty : sql`and id < ${before}`}
           ${with_service_mail ? sql.empty : sql`and not exists (select from system_mails m where m.id = sandbox_outbox.resource_id)`}
         order by id desc limit ${limit}`),
    async deleteBefore(moment: Date): Promise<void> {
      await db.run(sql`delete from sandbox_outbox where handed_at < ${moment}`);
      await db.run(sql`delete from sandbox_texts where handed_at < ${moment}`);
    },
  };
}
