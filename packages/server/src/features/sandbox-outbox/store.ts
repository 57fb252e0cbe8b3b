// The SQL of what the sandbox was handed and no record tells.
import type { SandboxMessage } from '@parley/contract/sandbox-outbox';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export type OutboxRow = {
  id: string;
  organization_id: string;
  channel: SandboxMessage['channel'];
  resource_id: string;
  handed_at: string;
  sender: string;
  recipients: string[];
  message: object;
};

export function sandboxOutboxStore(db: Database) {
  return {
    insertionOf: (rows: OutboxRow[]) => sql`
      insert into sandbox_outbox select * from json_populate_recordset(null::sandbox_outbox, ${JSON.stringify(rows)})`,
    page: (organization_id: string, before: string | null, limit: number) =>
      db.rows<SandboxMessage>(sql`
        select id, channel, resource_id, iso(handed_at) as handed_at, sender as "from", recipients as "to", message
          from sandbox_outbox
         where organization_id = ${organization_id} ${before === null ? sql.empty : sql`and id < ${before}`}
         order by id desc limit ${limit}`),
    forgetBefore: (moment: Date) => db.run(sql`delete from sandbox_outbox where handed_at < ${moment}`),
  };
}
