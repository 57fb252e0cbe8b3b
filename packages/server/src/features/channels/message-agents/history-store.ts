// The SQL that reads what else is known of a person: the summaries of their calls.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { Received } from './channels/channel.ts';

export type CallSummary = { at: string; summary: string };

const summary_days = 30;
const max_calls = 5;

export const historyStore = (db: Database, clock: Clock) => ({
  /** Oldest first. Of the whole conversation, so that a mail is answered with knowledge of a call with the same contact. */
  async callSummaries(
    { organization_id, person }: Received,
    thread: { conversation_id: string } | null,
  ): Promise<CallSummary[]> {
    const since = firstIdAt(new Date(clock.ms() - summary_days * 86_400_000));
    const rows = await db.rows<CallSummary>(sql`
      select iso(c.requested_at) as at, c.summary from calls c
       where c.organization_id = ${organization_id} and c.id >= ${since} and c.summary is not null
         and (c.id in (select i.id from conversation_items i
                        where i.organization_id = ${organization_id} and i.conversation_id = ${thread?.conversation_id ?? null}::uuid
                          and i.noun = 'call' and i.id >= ${since})
              or case c.direction when 'inbound' then c."from" else c."to" end = ${person})
       order by c.id desc limit ${max_calls}`);
    return rows.reverse();
  },
});
export type HistoryStore = ReturnType<typeof historyStore>;
