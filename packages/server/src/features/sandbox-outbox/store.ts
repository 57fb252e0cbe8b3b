// The SQL of the sandbox's outbox.
import type { Database } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

export type OutboxRow = {
  id: string;
  organization_id: string;
  channel: 'email' | 'sms' | 'call';
  resource_id: string;
  handed_at: string;
  sender: string;
  recipients: string[];
  message: object;
};

const list = cursors('sandbox_outbox');
const columns = sql`id, channel, resource_id, iso(handed_at) as handed_at, sender as "from", recipients as "to", message`;

export function sandboxOutboxStore(db: Database) {
  return {
    /** Part of the commit that makes the sends true; rows of several organizations come together. */
    insertionOf: (rows: OutboxRow[]) => sql`
      insert into sandbox_outbox select * from json_populate_recordset(null::sandbox_outbox, ${JSON.stringify(rows)})`,
    list: (organization_id: string, query: PageRequest & { channel?: string | undefined }) =>
      readPage(db, list, query, {
        columns,
        from: sql`sandbox_outbox`,
        where: sql`organization_id = ${organization_id} ${query.channel ? sql`and channel = ${query.channel}` : sql.empty}`,
      }),
    forgetBefore: (moment: Date) => db.run(sql`delete from sandbox_outbox where handed_at < ${moment}`),
  };
}
