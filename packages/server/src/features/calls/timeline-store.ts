// The SQL of a call's timeline and transcript.
import type { CallEventKind, CallTurn } from '@parley/contract/call-records';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

export type TimelineEntry = {
  id: string;
  organization_id: string;
  call_id: string;
  kind: CallEventKind;
  occurred_at: string;
  detail: Record<string, unknown>;
};

const list = cursors('call_events');

export function timelineStore(db: Database) {
  return {
    add: (_organization_id: string, entry: TimelineEntry, on: Queryable = db) =>
      on.run(
        sql`insert into call_events select * from json_populate_record(null::call_events, ${JSON.stringify(entry)})`,
      ),

    list: (organization_id: string, call_id: string, page: PageRequest) =>
      readPage(db, list, page, {
        columns: sql`id, kind, iso(occurred_at) as occurred_at, detail`,
        from: sql`call_events`,
        where: sql`organization_id = ${organization_id} and call_id = ${call_id}`,
      }),

    addTurn: (on: Queryable, organization_id: string, turn: CallTurn & { id: string; call_id: string }) =>
      on.run(sql`
        insert into call_turns
        select * from json_populate_record(null::call_turns, ${JSON.stringify({ organization_id, ...turn })})`),

    turns: (organization_id: string, call_id: string) =>
      db.rows<CallTurn>(sql`
        select speaker, text, started_ms, ended_ms, is_interrupted, timings from call_turns
         where organization_id = ${organization_id} and call_id = ${call_id} order by started_ms, id`),
  };
}
export type TimelineStore = ReturnType<typeof timelineStore>;
